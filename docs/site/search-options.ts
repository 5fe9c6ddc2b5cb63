import type { Options } from 'minisearch'

/** A passage in the index of the search. */
export interface Found {
  readonly id: number
  readonly page: string
  /** What the list of pages says about the page; only at its first passage. */
  readonly about: string
  readonly heading: string
  /** Words for it that the passage itself may not have. */
  readonly keywords: string
  readonly url: string
  readonly text: string
}

/** Words that say nothing about what is searched for. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do for from how i in is it my of on or the to use with'.split(' '),
)

/** Pages by how likely it is that a reader wants them: the guide and tasks first, exports and the history last. */
const WEIGHTS: readonly [place: RegExp, weight: number][] = [
  [/^(?:guide|how-to)\//, 2],
  [/^reference\/packages\//, 0.4],
  [/^reference\//, 1.5],
  [/^(?:packages|examples)\//, 1],
]

const OTHER_WEIGHT = 0.3

/** How the search reads and weighs text: the same where the index is made and where it is asked. */
export const SEARCH_OPTIONS: Options<Found> = {
  fields: ['keywords', 'heading', 'page', 'about', 'text'],
  storeFields: ['page', 'heading', 'url', 'text'],
  processTerm: toTerm,
  searchOptions: {
    prefix: true,
    // Short words are near to too many others.
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    combineWith: 'OR',
    boost: { keywords: 6, heading: 4, page: 3, about: 3 },
    boostDocument: (_id, _term, found) => {
      const url = String(found?.['url'])
      return WEIGHTS.find(([place]) => place.test(url))?.[1] ?? OTHER_WEIGHT
    },
  },
}

/** The stem of a word, so that `migrations` finds `migrate`; null for a word that says nothing. */
export function toTerm(word: string): string | null {
  const lower = word.toLowerCase()
  return STOP_WORDS.has(lower) ? null : toStem(lower)
}

/** Both sides are cut alike: a stem need not be a word. */
function toStem(word: string): string {
  const singular = word.replace(/([^su])s$/, '$1')
  if (singular.length < 5) return singular
  const stem = singular.replace(/(?:ing|ed|ion|ment|ie|y|e)$/, '')
  return stem.length < 3 ? singular : stem.replace(/([bdglmnprt])\1$/, '$1')
}
