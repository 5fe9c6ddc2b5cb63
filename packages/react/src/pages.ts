import type { Page } from '@sdk/protocol'

/** What a cache holds of `usePages`, under keys that end with `PAGES`. */
export interface CachedPages {
  pages: Page<unknown>[]
  pageParams: unknown[]
}

/** The last part of a key. */
export const PAGES_KEY = 'pages'

/** The items of all pages, in order. */
export function flattenPages({ pages }: CachedPages): unknown[] {
  return pages.flatMap(({ data }) => data)
}

/**
 * Changes pages as if they were one, which holds all items; the number of pages stays, so that all are fetched again.
 */
export function changePages(old: CachedPages, change: (page: unknown) => unknown): CachedPages {
  const { data } = change({ ...old.pages[0], data: flattenPages(old) }) as Page<unknown>
  return { ...old, pages: old.pages.map((page, index) => ({ ...page, data: index === 0 ? data : [] })) }
}
