import type { Page } from '@sdk/protocol'

/** The data that `usePages` caches under keys that end with `PAGES_KEY`. */
export interface CachedPages {
  pages: unknown[]
  pageParams: unknown[]
}

/** The last part of the query keys that `usePages` creates. */
export const PAGES_KEY = 'pages'

/**
 * Changes all items as if they were on one page. Pages in a different format are changed one by one. The number of
 * pages stays the same, so that all pages are fetched again.
 */
export function changePages(old: CachedPages, change: (page: unknown) => unknown): CachedPages {
  const pages = old.pages as Page<unknown>[]
  const [first] = pages
  const data = first?.data && (change({ ...first, data: pages.flatMap((page) => page.data) }) as Page<unknown>).data
  return { ...old, pages: pages.map((page, index) => (data ? { ...page, data: index ? [] : data } : change(page))) }
}
