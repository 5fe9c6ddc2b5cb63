import type { ServerProcess } from '../harness/server-process.ts'
import type { Case } from './cases.ts'

/** Fails if two servers return different bytes for a case; cursors and the times of new rows are ignored. */
export async function assertSameAnswers(
  name: string,
  contestants: readonly { readonly server: ServerProcess; readonly asked: Case }[],
): Promise<void> {
  const answers: string[] = []
  for (const { server, asked } of contestants) answers.push(await answerOf(server, asked))
  if (new Set(answers).size > 1) throw new Error(`different responses for ${name}:\n${answers.join('\n')}`)
}

/** Sends one request to a server. */
export async function askServer({ port, name }: ServerProcess, asked: Case): Promise<Response> {
  const { method, url, body, headers, status } = asked
  const response = await fetch(`http://127.0.0.1:${port}${url(0)}`, {
    method,
    headers: { ...headers?.(0), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body(0)) }),
  })
  if (response.status !== status)
    throw new Error(`${name} answered ${url(0)} with ${response.status}: ${await response.text()}`)
  return response
}

async function answerOf(server: ServerProcess, asked: Case): Promise<string> {
  const response = await askServer(server, asked)
  const { headers } = response
  const text = (await response.text()).replaceAll(/("(?:next|prev)Cursor":)"[^"]+"/g, '$1"…"')
  const times = asked.method === 'GET' ? text : text.replaceAll(/("(?:created|updated)At":)"[\d:.TZ-]{24}"/g, '$1"…"')
  return [headers.get('content-type')?.split(';')[0], headers.get('location'), headers.has('etag'), times].join('\n')
}
