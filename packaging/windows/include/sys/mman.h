/* Empty, because Windows has no madvise(). system/huge_pages.c does without it. */
