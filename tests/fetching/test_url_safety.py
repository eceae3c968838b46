"""Addresses lead only to web sites of the public internet, whatever their notation."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.fetching.url_safety import Guard, RefusedAddress, check_addresses, explain_refusal, parse_literal_address, resolve_host

PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::8.8.8.8", "2002:808:808::1"]
REFUSED = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.0.9",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.5",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2002:7f00:1::1",
    "2001:0:4136:e378::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_fetched(address):
    assert explain_refusal(ip_address(address)) == ""


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused(address):
    assert explain_refusal(ip_address(address))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.1", "127.0.1", "017700000001", "127.0.0.1."],
)
def test_every_notation_of_loopback_is_refused(host):
    assert str(parse_literal_address(host)) == "127.0.0.1"
    with pytest.raises(RefusedAddress, match="public internet"):
        Guard().check_url(f"http://{host}/")


@pytest.mark.parametrize("host", ["example.com", "1.example", "0x7f.example", "localhost", "1e100.net"])
def test_a_host_name_is_not_an_address(host):
    assert parse_literal_address(host) is None


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_behind_nat64_is_judged_as_itself_and_other_notations_are_refused(number):
    plain = ip_address(number)
    assert bool(explain_refusal(ip_address(f"64:ff9b::{plain}"))) == bool(explain_refusal(plain))
    for prefix in ("::", "::ffff:", "::ffff:0:"):
        assert explain_refusal(ip_address(f"{prefix}{plain}"))


@given(st.integers(0, 2**32 - 1))
def test_only_addresses_that_python_calls_global_are_fetched(number):
    address = ip_address(number)
    assert explain_refusal(address) or address.is_global


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "javascript:alert(1)",
        "//example.com/",
        "http:///path",
        "http://example.com:22/",
        "http://example.com:6379/",
        "http://example.com:99999/",
        "http://[::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[zz]/",
        "https://169.254.169.254/latest/meta-data/",
        "http://example.com/" + "a" * 3000,
    ],
)
def test_a_url_that_cannot_be_a_public_site_is_refused(url):
    with pytest.raises(RefusedAddress):
        Guard().check_url(url)


def test_user_password_and_fragment_are_not_sent():
    assert Guard().check_url("https://ada:secret@example.com:8443/a?b=c#d") == "https://example.com:8443/a?b=c"


def test_a_permitted_host_is_permitted_on_its_port_only():
    guard = Guard.of(["127.0.0.1:8100"])
    assert guard.check_url("http://127.0.0.1:8100/x") == "http://127.0.0.1:8100/x"
    for url in ("http://127.0.0.1/", "http://127.0.0.1:8101/", "http://127.1:8100/"):
        with pytest.raises(RefusedAddress):
            guard.check_url(url)
    assert Guard.of(["[::1]:8100"]).permits("::1", 8100)
    assert Guard.of(["Intranet.Example"]).permits("intranet.example.", 443)


def test_only_the_public_addresses_of_a_name_are_connected_to():
    mixed = [ip_address("10.0.0.1"), ip_address("8.8.8.8")]
    assert check_addresses(mixed, guard=Guard(), host="a.example", port=80) == [ip_address("8.8.8.8")]
    with pytest.raises(RefusedAddress, match=r"a\.example is 10\.0\.0\.1"):
        check_addresses(mixed[:1], guard=Guard(), host="a.example", port=80)
    assert check_addresses(mixed[:1], guard=Guard.of(["a.example"]), host="a.example", port=80) == mixed[:1]


@pytest.mark.parametrize("host", ["..", "a..", ".", "x" * 64, "é" * 64, "a.." + "b" * 70])
def test_a_name_that_cannot_be_coded_is_not_found(host: str) -> None:
    with pytest.raises(OSError):
        resolve_host(host, 80)
