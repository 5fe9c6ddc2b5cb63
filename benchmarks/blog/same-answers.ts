import type { ServerProcess } from '../harness/server-process.ts'
import type { Case } from '../resources/cases.ts'
import { askServer } from '../resources/same-answers.ts'

/** Sends a request without a check of its status. Returns the status and the body. */
export async function send(
  { port }: ServerProcess,
  route: string,
  { body, token }: { body?: unknown; token?: string | undefined } = {},
): Promise<{ status: number; body: unknown }> {
  const [method = '', path = ''] = route.split(' ')
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Token ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

/** Creates a user and returns the token. */
export async function register(server: ServerProcess, username: string): Promise<string> {
  const user = { username, email: `${username}@example.com`, password: 'correct horse' }
  const answer = await send(server, 'POST /api/users', { body: { user } })
  if (answer.status !== 201) throw new Error(`${server.name} answered ${JSON.stringify(answer)}`)
  return (answer.body as { user: { token: string } }).user.token
}

/** Fails if two servers respond to the first request of a case with different values. */
export async function assertSameBodies(
  name: string,
  contestants: readonly { readonly server: ServerProcess; readonly asked: Case }[],
): Promise<void> {
  const answers: string[] = []
  for (const { server, asked } of contestants) answers.push(toComparable(await (await askServer(server, asked)).json()))
  assertSame(name, answers)
}

/** Sends the same requests to two new servers, to all routes, and fails if they respond differently. */
export async function assertSameRoutes(servers: readonly ServerProcess[]): Promise<number> {
  const users = new Map<ServerProcess, { ada: string; bob: string }>()
  for (const server of servers)
    users.set(server, { ada: await register(server, 'ada'), bob: await register(server, 'bob') })
  for (const [route, as, body] of STEPS) {
    const answers: string[] = []
    for (const server of servers) {
      const token = as === null ? undefined : users.get(server)?.[as]
      const answer = await send(server, route, { token, ...(body !== undefined && { body }) })
      // The texts of errors are up to the server.
      answers.push(`${answer.status} ${answer.status < 400 ? toComparable(answer.body) : ''}`)
    }
    assertSame(`${route} as ${as ?? 'a guest'}`, answers)
  }
  return STEPS.length
}

type Step = readonly [route: string, as: 'ada' | 'bob' | null, body?: unknown]

const TEA = { title: 'Green tea', description: 'How to brew', body: 'At 70 °C.' }
const STEPS: readonly Step[] = [
  ['GET /api/user', 'ada'],
  ['GET /api/user', null],
  ['PUT /api/user', 'ada', { user: { bio: 'I count', image: 'https://example.com/a.png' } }],
  ['PUT /api/user', 'ada', { user: { username: 'bob' } }],
  ['POST /api/users', null, { user: { username: 'ada', email: 'x@example.com', password: 'correct horse' } }],
  ['POST /api/users', null, { user: {} }],
  ['POST /api/users/login', null, { user: { email: 'ada@example.com', password: 'correct horse' } }],
  ['POST /api/users/login', null, { user: { email: 'ada@example.com', password: 'wrong' } }],
  ['GET /api/profiles/ada', 'bob'],
  ['GET /api/profiles/nobody', 'bob'],
  ['POST /api/profiles/ada/follow', 'bob'],
  ['POST /api/profiles/ada/follow', 'bob'],
  ['POST /api/profiles/ada/follow', null],
  ['POST /api/articles', 'ada', { article: { ...TEA, tagList: ['tea', 'green', 'tea'] } }],
  ['POST /api/articles', 'bob', { article: { ...TEA, title: 'Black tea', tagList: ['tea'] } }],
  ['POST /api/articles', 'bob', { article: { ...TEA, title: '' } }],
  ['POST /api/articles', null, { article: TEA }],
  ['GET /api/articles', 'bob'],
  ['GET /api/articles', null],
  ['GET /api/articles?tag=green', null],
  ['GET /api/articles?author=bob', null],
  ['GET /api/articles?limit=1&offset=1', null],
  ['GET /api/articles?limit=0', null],
  ['GET /api/articles/feed', 'bob'],
  ['GET /api/articles/feed', null],
  ['POST /api/articles/green-tea/favorite', 'bob'],
  ['POST /api/articles/green-tea/favorite', 'bob'],
  ['GET /api/articles?favorited=bob', 'ada'],
  ['GET /api/articles/green-tea', 'bob'],
  ['DELETE /api/articles/green-tea/favorite', 'bob'],
  ['DELETE /api/articles/green-tea/favorite', 'bob'],
  ['POST /api/articles/none/favorite', 'bob'],
  ['PUT /api/articles/green-tea', 'ada', { article: { body: 'At 80 °C.' } }],
  ['PUT /api/articles/green-tea', 'bob', { article: { body: 'Mine' } }],
  ['PUT /api/articles/green-tea', 'ada', { article: { title: 'White tea' } }],
  ['GET /api/articles/green-tea', null],
  ['GET /api/articles/white-tea', null],
  ['POST /api/articles/white-tea/comments', 'bob', { comment: { body: 'First!' } }],
  ['POST /api/articles/white-tea/comments', 'ada', { comment: { body: ' ' } }],
  ['GET /api/articles/white-tea/comments', 'bob'],
  ['DELETE /api/articles/white-tea/comments/1', 'ada'],
  ['DELETE /api/articles/black-tea/comments/1', 'bob'],
  ['DELETE /api/articles/white-tea/comments/1', 'bob'],
  ['DELETE /api/articles/white-tea/comments/1', 'bob'],
  ['GET /api/tags', null],
  ['DELETE /api/articles/white-tea', 'bob'],
  ['DELETE /api/articles/white-tea', 'ada'],
  ['GET /api/articles/white-tea', 'ada'],
  ['DELETE /api/profiles/ada/follow', 'bob'],
]

function assertSame(name: string, answers: readonly string[]): void {
  if (new Set(answers).size > 1) throw new Error(`different responses for ${name}:\n${answers.join('\n')}`)
}

/** Returns JSON with sorted members, and without tokens and times, which differ. */
function toComparable(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (key === 'token' || key === 'createdAt' || key === 'updatedAt') return typeof member
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}
