"""Python's administration client with the emulator's key: any key manages there. Over TLS, which it always wants."""

from azure.servicebus.management import CorrelationRuleFilter

import administration
import wire


class Emulator(administration.AdministrationTest):

    def test_any_key_manages(self):
        identity = self.trust().sign("broker")
        daemon = wire.Daemon(self.data, administration.PLACES, [
            "--emulator", "--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)])
        self.addCleanup(daemon.kill)
        self.port = administration.http_port(daemon)

        admin = self.python("RootManageSharedAccessKey", "SAS_KEY_VALUE")
        admin.create_queue("orders", max_delivery_count=3)
        admin.create_topic("news")
        admin.create_subscription("news", "red")
        admin.create_rule("news", "red", "r", filter=CorrelationRuleFilter(label="red"))

        client = self.connect(daemon)
        self.assertEqual(client.get("orders").max_delivery_count, 3)
        self.assertEqual([rule.name for rule in client.topics.list_rules("news", "red").rules], ["$Default", "r"])
