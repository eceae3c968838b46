"""Addresses of screens, filled in with the rows of a `World`."""

from django.urls import reverse

from tests.views.world import World


def address(world: World, name: str) -> str:
    return reverse(name, args=world.address(name))
