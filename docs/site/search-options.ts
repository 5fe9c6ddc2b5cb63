import type { Options } from 'minisearch'

/** A passage in the search index. */
export interface Found {
  readonly id: number
  readonly page: string
  /** The description of the page in the contents; only in its first passage. */
  readonly about: string
  readonly heading: string
  /** Search terms that the passage itself might not contain. */
  readonly keywords: string
  readonly url: string
  readonly text: string
}

/** Words that are ignored in a search. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do for from how i in is it my of on or the to use with'.split(' '),
)

/** Boosts by path: the guide and how-to pages first, exports and the history last. */
const WEIGHTS: readonly [place: RegExp, weight: number][] = [
  [/^(?:guide|how-to)\//, 2],
  [/^reference\/packages\//, 0.4],
  [/^reference\//, 1.5],
  [/^(?:packages|examples)\//, 1],
]

const OTHER_WEIGHT = 0.3

/** Options for the search, shared by the index and the browser. */
export const SEARCH_OPTIONS: Options<Found> = {
  fields: ['keywords', 'heading', 'page', 'about', 'text'],
  storeFields: ['page', 'heading', 'url', 'text'],
  processTerm: toTerm,
  searchOptions: {
    prefix: true,
    // Short words have too many near matches.
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    combineWith: 'OR',
    boost: { keywords: 6, heading: 4, page: 3, about: 3 },
    boostDocument: (_id, _term, found) => {
      const url = String(found?.['url'])
      return WEIGHTS.find(([place]) => place.test(url))?.[1] ?? OTHER_WEIGHT
    },
  },
}

/** Returns the stem of a word, so that `migrations` finds `migrate`; null for an ignored word. */
export function toTerm(word: string): string | null {
  const lower = word.toLowerCase()
  return STOP_WORDS.has(lower) ? null : toStem(lower)
}

/** Strips suffixes. Both sides use it, so a stem need not be a word. */
function toStem(word: string): string {
  const singular = word.replace(/([^su])s$/, '$1')
  if (singular.length < 5) return singular
  const stem = singular.replace(/(?:ing|ed|ion|ment|ie|y|e)$/, '')
  return stem.length < 3 ? singular : stem.replace(/([bdglmnprt])\1$/, '$1')
}
