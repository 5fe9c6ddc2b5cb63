import type { Page } from '@sdk/protocol'

/** The data that `usePages` caches under keys that end with `PAGES_KEY`. */
export interface CachedPages {
  pages: Page<unknown>[]
  pageParams: unknown[]
}

/** The last part of the query keys that `usePages` creates. */
export const PAGES_KEY = 'pages'

/** Returns the items of all pages, in order. */
export function flattenPages({ pages }: CachedPages): unknown[] {
  return pages.flatMap(({ data }) => data)
}

/** Changes all items as if they were one page. Keeps the number of pages, so that all pages are fetched again. */
export function changePages(old: CachedPages, change: (page: unknown) => unknown): CachedPages {
  const { data } = change({ ...old.pages[0], data: flattenPages(old) }) as Page<unknown>
  return { ...old, pages: old.pages.map((page, index) => ({ ...page, data: index === 0 ? data : [] })) }
}
