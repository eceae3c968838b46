"""Whether a site that did not answer a check has answered since, because its pages were fetched in another way."""

from django.db.models import Exists, OuterRef, Q

from extraction.models import Bellwether, PageVisits


def answered_since() -> Q:
    """Return the condition for checks whose watched pages have all been fetched since. Pages that are gone have answered, too."""
    watched = Bellwether.objects.filter(cluster=OuterRef("cluster"))
    later = PageVisits.objects.filter(page=OuterRef("page"), visited_at__gt=OuterRef(OuterRef("checked_at")))
    return Q(Exists(watched)) & ~Q(Exists(watched.filter(~Exists(later))))
