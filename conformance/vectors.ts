import { TOKEN } from './session.ts'

/** One request, and the status that it must have. */
export interface Vector {
  readonly route: string
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer, as far as later requests need it. */
interface Answer {
  readonly body: { readonly id?: number; readonly pagination?: { readonly nextCursor: string | null } }
  readonly etag: string
}

/** Sends requests, and writes down what is not as it should be. */
export interface Sender {
  send(vector: Vector): Promise<Answer>
  readonly count: number
  readonly faults: readonly string[]
}

/**
 * Sends through a proxy that knows the document. It answers 422 to a request, and 500 to an answer, that the document
 * does not allow, and tells of lesser offences in a header.
 */
export function createSender(origin: string): Sender {
  const faults: string[] = []
  let count = 0
  return {
    faults,
    get count() {
      return count
    },
    async send(vector) {
      count++
      const [method = '', path = ''] = vector.route.split(' ')
      const { body, status } = vector
      const response = await fetch(origin + path, {
        method,
        signal: AbortSignal.timeout(60_000),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...vector.headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const violations = response.headers.get('sl-violations')
      if (response.status !== status) faults.push(`${vector.route}: ${response.status}, not ${status}: ${text}`)
      else if (violations !== null) faults.push(`${vector.route}: ${violations}`)
      return {
        body: (text === '' ? {} : JSON.parse(text)) as Answer['body'],
        etag: response.headers.get('etag') ?? '',
      }
    },
  }
}

const TASKS = '/api/v1/tasks'
const PROJECTS = '/api/v1/projects'
const SIGNED_IN = { authorization: `Bearer ${TOKEN}` }
const PATCH = { 'content-type': 'application/merge-patch+json' }

const WHOLE = {
  title: 'Zäune 🙂 streichen',
  notes: 'Both sides',
  status: 'active',
  priority: 5,
  estimate: 1.5,
  isUrgent: true,
  dueDate: '2026-05-01',
  remindAt: '2026-04-30T10:00:00.123+02:00',
  labels: ['garden', 'spring'],
  place: { street: 'Main Street 1', city: 'Springfield' },
}

/** Requests that are right, each of which the document and the server must let pass. */
export async function sendValid({ send }: Sender): Promise<void> {
  await changeTasks(send)
  await listTasks(send)
  await keepProjects(send)
  await endLabels(send)
}

type Send = Sender['send']

async function changeTasks(send: Send): Promise<void> {
  const { body, etag } = await send({ route: `POST ${TASKS}`, body: WHOLE, status: 201 })
  const item = `${TASKS}/${body.id}`
  const key = { 'idempotency-key': '"one-and-the-same"' }
  await send({ route: `POST ${TASKS}`, body: { title: 'Once' }, headers: key, status: 201 })
  await send({ route: `POST ${TASKS}`, body: { title: 'Once' }, headers: key, status: 201 })
  await send({ route: `POST ${TASKS}`, body: { title: 'Another' }, headers: key, status: 422 })
  await send({ route: `GET ${item}`, status: 200 })
  await send({ route: `GET ${item}`, headers: { 'if-none-match': etag }, status: 304 })
  await send({ route: `GET ${item}`, headers: { 'if-none-match': 'W/"other", "more"' }, status: 200 })
  await send({ route: `GET ${item}`, headers: { accept: 'application/*' }, status: 200 })
  await send({ route: `GET ${TASKS}/9007199254740991`, status: 404 })
  const problem = { accept: 'application/problem+json' }
  await send({ route: `GET ${TASKS}/9007199254740991`, headers: problem, status: 404 })
  // What was read may be sent back, and changes nothing.
  const same = await send({ route: `PUT ${item}`, body, status: 200 })
  await send({ route: `PATCH ${item}`, body: {}, headers: { ...PATCH, 'if-match': same.etag }, status: 200 })
  const bare = await send({ route: `POST ${TASKS}`, body: { title: 'Bare', notes: null }, status: 201 })
  await send({ route: `PUT ${TASKS}/${bare.body.id}`, body: bare.body, status: 200 })
  await send({ route: `PUT ${item}`, body: { title: 'Less' }, headers: { 'if-match': '*' }, status: 200 })
  await send({ route: `PATCH ${item}`, body: { notes: null, labels: ['x'] }, headers: PATCH, status: 200 })
  await send({ route: `PATCH ${item}`, body: { place: WHOLE.place }, status: 200 })
  await send({ route: `PATCH ${item}`, body: { place: { city: null } }, headers: PATCH, status: 200 })
  await send({ route: `PATCH ${item}`, body: { title: 'Late' }, headers: { 'if-match': etag }, status: 412 })
  await send({ route: `DELETE ${item}`, headers: { 'if-match': etag }, status: 412 })
  await send({ route: `PATCH ${item}`, body: { title: 'Keyed' }, headers: { ...PATCH, ...key }, status: 200 })
  await send({ route: `PATCH ${item}`, body: { title: 'Keyed' }, headers: { ...PATCH, ...key }, status: 200 })
  await send({ route: `PATCH ${item}`, body: { title: 'Another' }, headers: { ...PATCH, ...key }, status: 422 })
  await send({ route: `DELETE ${item}`, headers: key, status: 200 })
  await send({ route: `DELETE ${item}`, headers: key, status: 200 })
  await send({ route: `DELETE ${item}`, status: 404 })
}

async function listTasks(send: Send): Promise<void> {
  for (let count = 1; count <= 23; count++)
    await send({ route: `POST ${TASKS}`, body: { title: `Task ${count}`, priority: 1 + (count % 5) }, status: 201 })
  const queries = [
    'limit=100&count=true',
    'limit=1&count=false&sort=-createdAt,title,-id',
    'title=Task%203&title[ne]=Task%204',
    'status=open&status[in]=open,done',
    'priority[gt]=1&priority[gte]=2&priority[lt]=9&priority[lte]=5&priority[in]=1,2,3',
    'estimate[gte]=0.5&estimate[lt]=-1e3',
    'isUrgent=false&isUrgent[ne]=true&isUrgent[in]=true,false',
    'dueDate=2026-05-01&dueDate[lt]=2027-01-01&dueDate[in]=2026-05-01,2026-05-02',
    'dueDate[null]=true&remindAt[null]=false',
    `remindAt[gt]=2026-01-01T00:00:00Z&remindAt[lte]=${encodeURIComponent('2026-12-31T00:00:00+01:00')}`,
  ]
  for (const query of queries) await send({ route: `GET ${TASKS}?${query}`, status: 200 })
  for (const sort of ['id', '-priority,title']) {
    let cursor: string | null | undefined = null
    do {
      const at: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await send({ route: `GET ${TASKS}?limit=7&sort=${sort}${at}`, status: 200 })
      cursor = body.pagination?.nextCursor
    } while (typeof cursor === 'string')
  }
  const { etag } = await send({ route: `GET ${TASKS}`, status: 200 })
  await send({ route: `GET ${TASKS}`, headers: { 'if-none-match': etag }, status: 304 })
  await send({ route: `GET ${TASKS}?cursor=bm9wZQ`, status: 400 })
}

/** A resource that wants to know who calls, and which state is meant. */
async function keepProjects(send: Send): Promise<void> {
  const make = { route: `POST ${PROJECTS}`, body: { name: 'House' } }
  await send({ ...make, status: 401 })
  const { body, etag } = await send({ ...make, headers: SIGNED_IN, status: 201 })
  const item = `${PROJECTS}/${body.id}`
  await send({ ...make, headers: SIGNED_IN, status: 409 })
  await send({ route: `GET ${PROJECTS}?name=House&budget[gte]=0`, headers: SIGNED_IN, status: 200 })
  const known = { ...SIGNED_IN, 'if-match': etag }
  const { etag: next } = await send({ route: `PATCH ${item}`, body: { budget: 5 }, headers: known, status: 200 })
  await send({ route: `PUT ${item}`, body: { name: 'Late' }, headers: known, status: 412 })
  await send({ route: `DELETE ${item}`, headers: { ...SIGNED_IN, 'if-match': next }, status: 200 })
}

/** A version that ends. */
async function endLabels(send: Send): Promise<void> {
  const { body } = await send({ route: 'POST /api/v1/labels', body: { text: 'garden' }, status: 201 })
  await send({ route: `GET /api/v1/labels/${body.id}`, status: 200 })
  await send({ route: 'GET /api/v1/labels?isPinned=false', status: 200 })
  await send({ route: `DELETE /api/v1/labels/${body.id}`, status: 200 })
}

/** Requests that are wrong: the document must refuse them as the server does. */
export const INVALID: readonly Omit<Vector, 'status'>[] = [
  ...['0', '-1', 'abc', '1.5', '%20'].map((id) => ({ route: `GET ${TASKS}/${id}` })),
  ...['limit=0', 'limit=101', 'limit=abc', 'cursor=%25'].map((query) => ({
    route: `GET ${TASKS}?${query}`,
  })),
  ...['sort=nope', 'sort=notes', 'sort=id,title,priority,createdAt', 'count=yes', 'isUrgent=1'].map((query) => ({
    route: `GET ${TASKS}?${query}`,
  })),
  ...['priority=x', 'estimate=x', 'dueDate=tomorrow', 'remindAt=2026-01-01', 'priority[in]=1,x'].map((query) => ({
    route: `GET ${TASKS}?${query}`,
  })),
  ...[
    {},
    { title: '' },
    { title: 'x'.repeat(201) },
    { title: 1 },
    { title: 'a', id: 1 },
    { title: 'a', createdAt: '2026-01-01T00:00:00.000Z' },
    { title: 'a', nope: true },
    { title: 'a', status: 'late' },
    { title: 'a', priority: 6 },
    { title: 'a', priority: 1.5 },
    { title: 'a', estimate: -1 },
    { title: 'a', dueDate: '01.05.2026' },
    { title: 'a', remindAt: '2026-05-01T10:00:00' },
    { title: 'a', labels: 'garden' },
    { title: 'a', place: { town: 'Springfield' } },
    { title: 'a\0b' },
  ].map((body) => ({ route: `POST ${TASKS}`, body })),
  { route: `GET ${TASKS}`, headers: { 'if-none-match': 'no-quotes' } },
]
