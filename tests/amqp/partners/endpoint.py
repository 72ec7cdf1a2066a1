"""endpoint: our endpoint as a program, for the partners that dial it."""

import os
import subprocess

PARTNER = os.environ["AMQP_PARTNER"]
# Seconds, for what takes a moment.
TIME = 20


def listening(test):
    """The port of one that serves queues in memory until the test is over."""
    partner = subprocess.Popen([PARTNER, "listen"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def stop():
        partner.stdin.close()
        test.assertEqual(partner.wait(TIME), 0)
        partner.stdout.close()

    test.addCleanup(stop)
    return int(partner.stdout.readline())
