"""told_elsewhere: the lines of the log whose sentences do not stand in the call that writes them.

Of each file, and what it hands to spdlog: in which files the sentences stand, and they as deploy/LOG.md has them. What
is filled in is an ellipsis. A call that is not here says its sentence itself.
"""

CONFIGURATION_IS_WRONG = {
    "broker/config/config_file.cc": (
        "…:…: this is no TOML: …",
        "…: there is no key '…'; …",
        "…:…: there are too many points in the names of this line",
    ),
    "broker/config/configuration.cc": (
        "… takes …",
        "… is required, or …, or … in the file of --config…",
        "…: TLS needs tls-cert and tls-key",
        "…: operations that others can reach need TLS, and access = \\\"on\\\" or tls-client-ca",
        "…: a socket that others can use needs access = \\\"on\\\"",
        "…: beyond this machine wharfd listens with …+tls:// and access = \\\"on\\\" only",
        "…: tls-client-cert is required, but no client is asked for one without tls-client-ca",
        "…: … is used by no listener: none has +tls",
        "…: trace-otlp-ca is asked of nobody, unless trace-otlp-endpoint begins with https://",
        "…: jwt-keys needs jwt-issuer, jwt-audience and jwt-claim",
        "…: backup-encrypt-to needs backup-folder: nothing else is encrypted to it",
        "…: archive-bytes needs backup-folder, below which the archive lies",
        "…: archive-bytes is 0B or at least 16MiB",
        "…: the emulator takes any key, so access cannot be on",
        "…: the emulator runs by itself, and is no node",
        "…: only the emulator can be ephemeral",
        "…: data names a folder that stays, and ephemeral wants one that goes",
    ),
    "broker/config/complaints.cc": ("and … more",),
}
EMULATOR_CANNOT = {
    "broker/emulator/difference.cc": (
        "…:… … is a …, and the data folder has a … of this name",
        "…:… … forwards to …, which is not there…",
        "…:… … is another one than that of the … in the data folder, and cannot be changed: delete … there, or give it "
        "another name here",
        "…:… … cannot be so: …",
    ),
    "broker/config/complaints.cc": ("and … more",),
}
NODE_FILE = {"replication/identity/durable_file.cc": ("cannot … …: …",)}

CALLS = {
    "broker/daemon/process/reloader.cc": {
        "line": CONFIGURATION_IS_WRONG,
        "config::ToSentence(change, /*is_taken=*/false)": {
            "broker/config/reload.cc": ("… waits for a restart: it will be …, and is … (…)",),
        },
    },
    "broker/daemon/process/watchdog.cc": {
        "why": {
            "broker/daemon/process/watchdog.cc": (
                "the disk has not answered for … s, and everybody waits for it",
                "one turn of the broker has taken … s, and everybody waits for it",
            ),
        },
    },
    "broker/emulator/bring_up.cc": {"line": EMULATOR_CANNOT},
    "broker/engine/delivery/session_desk_end.cc": {
        "read.status().message()": {"storage/rocks/rocks_view.cc": ("cannot read a row: …", "cannot read rows: …")},
    },
    "broker/engine/entities/fences.cc": {
        "queue.CheckFence().message()": {
            "broker/core/queue/queue.cc": (
                "'…' is fenced, because what is stored of it does not agree: …; 'wharf check … --repair' recounts it",
            ),
        },
    },
    "broker/main.cc": {
        "marked.message()": NODE_FILE,
        "sentence": {"broker/config/environment.cc": ("the variable … means nothing to wharfd…",)},
    },
    "replication/cluster_node/cluster_node.cc": {
        "tidied.message()": {
            "replication/cluster_node/state_folder.cc": ("cannot remove …: …",),
            "storage/rocks/state_files.cc": ("cannot remove the state in …: …",),
        },
        "members.status().message()": {"replication/core/raft_library.cc": ("these bytes are no … of the raft core",)},
        "kept.message()": NODE_FILE,
    },
    "replication/cluster_node/leading_room.h": {
        "ShortOf()": {
            "replication/cluster_node/leading_room.h": (
                "the disk of this node has … MB left: below … MB it leads only where no other one has room",
            ),
        },
        "SlowFor()": {
            "replication/cluster_node/leading_room.h": (
                "the disk of this node has not answered for … s: it leads only where no other one can",
            ),
        },
    },
    "replication/cluster_node/lost_state.cc": {
        "identity.ToText(), trouble()": {
            "replication/cluster_node/cluster_node.cc": (
                "…: this node takes the state of another member, and no part until it has it: …",
            ),
        },
    },
    "replication/cluster_node/member_facts.cc": {
        "news": {
            "replication/cluster_node/member_clocks.h": (
                "the wall clock of … is … s … this node's: nothing expires by that, but one of them is wrong",
                "the wall clock of … agrees with this node's again",
            ),
        },
    },
    "replication/snapshots/snapshot_receiver.cc": {
        "written.message()": {
            "replication/snapshots/incoming_snapshot.cc": ("… came otherwise than it was sent", "cannot write …: …"),
        },
        "refusal_": {
            "replication/snapshots/snapshot_receiver.cc": ("the snapshot as of entry … cannot be taken: …",),
        },
    },
    "replication/verify/state_verifier.cc": {
        "verdict.sentence": {
            "replication/verify/state_verifier.cc": (
                "the states of … differ in …, and no majority of the members is equal: nobody knows which of them is "
                "right",
                "the state of … differs from that of a majority of the members in …: it is given up, and that of "
                "another member takes its place",
            ),
        },
        "sentence": {"replication/verify/state_verifier.cc": ()},
    },
    "storage/disk/space_keeper.cc": {
        "free_bytes.status().message()": {
            "storage/disk/disk_space.cc": ("cannot see how much of the disk of … is free: …",),
        },
        "filled.message()": {"storage/disk/disk_reserve.cc": ("cannot keep a reserve in …: …",)},
        "tidied.message()": {
            "storage/rocks/rocks_store.cc": (
                "cannot write what is in memory to …: …",
                "cannot give back space in …: …",
            ),
        },
    },
    "storage/disk/space_returns.cc": {
        "step.status().message()": {"storage/rocks/rocks_store.cc": ("cannot give back space in …: …",)},
    },
}
