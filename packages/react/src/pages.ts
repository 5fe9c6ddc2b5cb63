import type { Page } from '@sdk/protocol'

/** What a cache holds of `usePages`, under keys that end with `PAGES`. */
export interface Pages {
  pages: Page<unknown>[]
  pageParams: unknown[]
}

/** The last part of a key. */
export const PAGES = 'pages'

/** The items of all pages, in order. */
export function itemsOf({ pages }: Pages): unknown[] {
  return pages.flatMap(({ data }) => data)
}

/**
 * Changes pages as if they were one, which holds all items; the number of pages stays, so that all are fetched again.
 */
export function changePages(old: Pages, change: (page: unknown) => unknown): Pages {
  const { data } = change({ ...old.pages[0], data: itemsOf(old) }) as Page<unknown>
  return { ...old, pages: old.pages.map((page, index) => ({ ...page, data: index === 0 ? data : [] })) }
}
