import type { Case } from '../resources/cases.ts'
import { SIZES } from './rows.ts'

/** Returns the measured requests. Readers take turns, each with their own token. */
export function blogCases(tokens: readonly string[]): Readonly<Record<string, Case>> {
  const headers = (n: number) => ({ authorization: `Token ${tokens[n % tokens.length]}` })
  const get = (url: Case['url']): Case => ({ method: 'GET', url, headers, status: 200 })
  return {
    'list of 20 articles': get(() => '/api/articles?limit=20'),
    'one article': get((n) => `/api/articles/tea-${scattered(n)}`),
    feed: get(() => '/api/articles/feed?limit=20'),
    'create an article': {
      method: 'POST',
      url: () => '/api/articles',
      headers,
      body: (n) => ({
        article: {
          title: `Coffee ${n}`,
          description: 'How to brew coffee',
          body: 'Grind the beans. '.repeat(50),
          tagList: ['coffee', 'beans', 'mill'],
        },
      }),
      status: 201,
    },
    favorite: { method: 'POST', url: (n) => `/api/articles/tea-${scattered(n)}/favorite`, headers, status: 200 },
  }
}

/** Returns numbers of articles distributed over the whole table. */
function scattered(n: number): number {
  return ((n * 7919) % SIZES.articles) + 1
}
