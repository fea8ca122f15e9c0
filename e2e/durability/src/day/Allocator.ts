/**
 * Environment of a process whose memory is judged: limits for glibc, which `docs/mounting.md` recommends to hosts. Other
 * allocators ignore them.
 *
 * By default each thread has its own arena, and once a large block was freed, glibc keeps later ones. So a server of the
 * day grew with each burst, such as the comparison of ledger and chain: by 14 MiB at minute 10, with the same 26 MiB in use
 * before and after. Its resident memory then shows no leak. With these limits it follows what is in use.
 */
export const steadyAllocator = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072"
} as const
