import MiniSearch from 'minisearch'
import { describe, expect, it } from 'vitest'
import { renderPages, toIndex } from './build.ts'
import { CONTENTS, parseContents } from './contents.ts'
import { readSource } from './files.ts'
import { SEARCH_OPTIONS, toTerm } from './search-options.ts'

/** Reported queries without a good result, with the expected pages. */
const REPORTED: Readonly<Record<string, string>> = {
  cors: 'reference/wire.html how-to/cookies-csrf-cors.html',
  upload: 'how-to/uploads.html',
  cookie: 'guide/auth.html how-to/cookies-csrf-cors.html',
  'login with google': 'guide/auth.html how-to/social-login.html',
  cron: 'guide/runs.html',
  'background job': 'guide/agents.html guide/runs.html guide/sockets.html',
  join: 'guide/sockets.html guide/resources.html',
  pagination: 'how-to/pagination.html',
  'websocket auth': 'guide/sockets.html',
  'rate limit': 'reference/options.html reference/wire.html',
  env: 'reference/environment.html',
  docker: 'guide/deploy.html how-to/hosting.html',
  test: 'guide/testing.html',
  mock: 'guide/testing.html',
  'error format': 'how-to/error-format.html reference/errors.html',
  file: 'guide/project.html how-to/uploads.html',
  email: 'guide/auth.html how-to/email.html',
  role: 'guide/auth.html how-to/roles.html',
  admin: 'guide/auth.html how-to/roles.html',
  redis: 'guide/scale.html packages/redis.html',
}

/** Twenty other queries, chosen before the search was changed. */
const CHOSEN: Readonly<Record<string, string>> = {
  'deploy to production': 'guide/deploy.html how-to/hosting.html',
  'reset password': 'guide/auth.html',
  'streaming response': 'guide/streams.html',
  openai: 'guide/ai-sdk.html',
  middleware: 'guide/routes.html',
  'chat room': 'guide/sockets.html',
  'environment variables': 'reference/environment.html',
  migration: 'guide/resources.html',
  nginx: 'guide/deploy.html',
  'validate input': 'guide/agents.html guide/routes.html',
  'sign out': 'guide/auth.html',
  'infinite scroll': 'how-to/pagination.html',
  swagger: 'guide/routes.html reference/commands.html',
  'vite plugin': 'reference/options.html guide/project.html',
  reconnect: 'guide/sockets.html',
  'optimistic update': 'guide/client.html',
  webhook: 'guide/routes.html how-to/webhooks.html',
  logging: 'how-to/logging.html',
  'multiple servers': 'guide/scale.html',
  'protect a route': 'guide/auth.html how-to/roles.html',
}

describe('documentation search', () => {
  const making = { code: () => '', files: new Set<string>(), loose: new Set<string>() }
  const index = MiniSearch.loadJSON(toIndex(renderPages(parseContents(readSource(CONTENTS)), making)), SEARCH_OPTIONS)
  const search = (query: string): string[] => index.search(query).map(({ url }) => String(url))
  /** Returns the queries whose first result is another page, with that result. */
  const missesOf = (list: Readonly<Record<string, string>>): string[] =>
    Object.entries(list).flatMap(([query, right]) => {
      const [first = 'nothing'] = search(query)
      return right.split(' ').includes(first.replace(/#.*$/, '')) ? [] : [`${query}: ${first}`]
    })

  it('ranks the expected page first for 18 of 20 reported queries', () => {
    expect(Object.keys(REPORTED)).toHaveLength(20)
    expect(missesOf(REPORTED).length).toBeLessThanOrEqual(2)
  })

  it('ranks the expected page first for 18 of 20 other queries', () => {
    expect(Object.keys(CHOSEN)).toHaveLength(20)
    expect(missesOf(CHOSEN).length).toBeLessThanOrEqual(2)
  })

  it('finds inflected, incomplete and misspelled words', () => {
    for (const query of ['deployment', 'deployed', 'deployng']) expect(search(query)[0]).toContain('guide/deploy.html')
    expect(search('how do I use middleware?')[0]).toBe(search('middleware')[0])
    expect(search('idempot')[0]).toMatch(/idempotency/)
  })
})

describe('toTerm', () => {
  it.each([
    ['migrations', 'migrate'],
    ['logging', 'log'],
    ['cookies', 'cookie'],
    ['queries', 'query'],
    ['deployment', 'deploying'],
    ['validation', 'validated'],
  ])('returns the same term for %s and %s', (a, b) => expect(toTerm(a)).toBe(toTerm(b)))

  it.each(['cors', 'redis', 'status', 'access', 'sdk', 'class'])('removes at most one letter from %s', (word) =>
    expect(toTerm(word)?.length).toBeGreaterThanOrEqual(word.length - 1),
  )
})
