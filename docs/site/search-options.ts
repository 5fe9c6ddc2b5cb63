import type { Options } from 'minisearch'

/** A passage in the index of the search. */
export interface Found {
  readonly id: number
  readonly page: string
  readonly heading: string
  readonly url: string
  readonly text: string
}

/** How the search reads and weighs text: the same where the index is made and where it is asked. */
export const SEARCH_OPTIONS: Options<Found> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'url', 'text'],
  searchOptions: {
    prefix: true,
    fuzzy: 0.15,
    combineWith: 'AND',
    boost: { heading: 4, page: 3 },
    // Pages of the guide come before pages of the reference.
    boostDocument: (_id, _term, found) => (String(found?.['url']).startsWith('guide/') ? 2 : 1),
  },
}
