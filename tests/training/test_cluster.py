"""The workers that TF_CONFIG describes, and every way to describe them wrongly."""

import json
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.training.cluster import Cluster, cluster_of, wait_for_others
from tests.run_pretraining.processes import free_addresses

TWO = ["host1:12345", "host2:12345"]


def config(cluster, kind="worker", index=0):
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})}


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({}, None),
        ({"TF_CONFIG": " "}, None),
        ({"TF_CONFIG": "{}"}, None),
        (config({"worker": TWO}, index=1), Cluster(TWO, 1)),
        (config({"chief": TWO[:1], "worker": TWO[1:]}, "chief"), Cluster(TWO, 0)),
        (config({"chief": TWO[:1], "worker": TWO[1:]}, "worker"), Cluster(TWO, 1)),
        (config({"worker": TWO[:1]}), Cluster(TWO[:1], 0)),
    ],
)
def test_who_the_workers_are_and_which_this_one_is(environment, expected):
    assert cluster_of(environment) == expected


@pytest.mark.parametrize(
    "environment, message",
    [
        ({"TF_CONFIG": "{'cluster'"}, "must describe the workers as JSON"),
        ({"TF_CONFIG": "[1]"}, r"must describe the workers as JSON.*Received: \[1\]"),
        ({"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}}'}, "must describe the workers"),
        (config({"worker": "a:1"}), "must describe the workers"),
        (config({"chief": TWO, "worker": []}, "chief"), "must describe the workers"),
        (config({"worker": TWO, "ps": ["host3:1"]}), "has no use for ps"),
        (config({"worker": TWO}, index=2), "type 'worker', index 2, .* 2 workers"),
        (config({"worker": TWO}, index=-1), "index -1"),
        (config({"worker": TWO}, index=True), "index True"),
        (config({"worker": TWO}, index="0"), "index '0'"),
        (config({"worker": TWO}, kind="chief"), "type 'chief'"),
        (config({"worker": TWO}, kind=["worker"]), "type .'worker'."),
        (config({"worker": [TWO[0], TWO[0]]}), "Received twice: host1:12345"),
        (config({"worker": ["host1"]}), "host:port. Received: 'host1'"),
        (config({"worker": ["host1:0"]}), "host:port"),
        (config({"worker": ["host1:65536"]}), "host:port"),
        (config({"worker": [7]}), "host:port"),
    ],
)
def test_a_description_that_is_wrong(environment, message):
    with pytest.raises(InputError, match=message):
        cluster_of(environment)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just("worker") | st.just("a:1"),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cluster", "task", "worker", "chief", "type", "index", "x"]), values
        )
    ),
)


@given(JSON)
def test_any_json_is_a_cluster_or_a_clear_error(value):
    try:
        found = cluster_of({"TF_CONFIG": json.dumps(value)})
    except InputError:
        return
    assert found is None or 0 <= found.index < len(found.addresses)


def test_workers_wait_until_all_have_been_reached():
    addresses, servers = free_addresses(3), []

    def begin(index):
        wait_for_others(Cluster(addresses, index))
        # What TensorFlow opens next; others may not have looked before.
        servers.append(socket.create_server(("", int(addresses[index].rpartition(":")[2]))))

    waiting = [threading.Thread(target=begin, args=[index], daemon=True) for index in range(3)]
    for thread in waiting[:2]:
        thread.start()
    waiting[0].join(0.5)
    assert waiting[0].is_alive() and waiting[1].is_alive()
    waiting[2].start()
    for thread in waiting:
        thread.join(10)
    assert not any(thread.is_alive() for thread in waiting)
    for server in servers:
        server.close()


def test_one_worker_alone_waits_for_nobody():
    wait_for_others(Cluster(free_addresses(1), 0))
