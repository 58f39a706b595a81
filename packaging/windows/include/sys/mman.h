/* Empty: there is no madvise(), and system/huge_pages.c does without it. */
