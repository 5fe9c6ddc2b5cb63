/** What a stranger's generator makes of plain handlers: the types are right, and the data arrive. */
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from '../.cache/handlers.d.ts'

const [baseUrl = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl })

const echo = await client.POST('/agent/echo', { body: { text: 'tea' } })
assert.deepEqual(echo.data, { text: 'tea' })
const anything = await client.POST('/agent/anything', { body: ['any', 'JSON'] })
assert.deepEqual(anything.data, { at: 1 })
const status = await client.GET('/api/status')
const word: 'ok' | undefined = status.data?.status
assert.equal(word, 'ok')
const job = await client.POST('/api/jobs')
const number: number | undefined = job.data?.job
assert.deepEqual([job.response.status, number], [202, 7])
const done = await client.DELETE('/api/jobs')
const nothing: undefined = done.data
assert.deepEqual([done.response.status, nothing], [204, undefined])
const report = await client.GET('/api/report', { parseAs: 'text' })
const text: string | undefined = report.data
assert.equal(text, 'year,total\n')
const old = await client.GET('/api/old', { redirect: 'manual' })
assert.equal(old.response.status, 308)
for (const path of ['/agent/count', '/agent/relay'] as const) {
  const stream = await client.POST(path, { body: { to: 1 }, parseAs: 'stream' })
  assert.equal(await new Response(stream.data).text(), '{"n":1}\n')
}

/** Never called: the compiler must refuse each of these. */
export async function mistakes(): Promise<void> {
  // @ts-expect-error the text is required
  await client.POST('/agent/echo', { body: {} })
  const { data } = await client.GET('/api/status')
  // @ts-expect-error there is no such status
  assert.equal(data?.status === 'late', false)
}
