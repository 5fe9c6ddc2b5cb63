import type { Versions } from './version.ts'

/** Requests that are sent until the load is stopped. */
export interface Load {
  /** Resolves with the number of requests, and the status and body of those that failed. */
  stop(): Promise<{ requests: number; failures: string[] }>
}

const CLIENTS = 4

/** Creates, updates and lists rows of all resources. Values begin with `prefix`, so that they are unique. */
export function startLoad(url: string, versions: Versions, prefix: string): Load {
  const stopping = new AbortController()
  let requests = 0
  const failures: string[] = []
  const send = async (method: string, path: string, body?: object): Promise<{ id?: number }> => {
    requests += 1
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) failures.push(`${method} ${path} ${response.status} ${text.slice(0, 300)}`)
    return response.ok ? (JSON.parse(text) as { id?: number }) : {}
  }
  const toValues = ({ fields }: Versions[string], mark: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([field, type]) => [
        field,
        field === 'parentId' ? 1 : type.startsWith('string') ? mark : type === 'number' ? 1.5 : 7,
      ]),
    )

  async function work(client: number): Promise<void> {
    for (let round = 0; !stopping.signal.aborted; round++) {
      for (const [name, version] of Object.entries(versions)) {
        const mark = `${prefix} ${client} ${round}`
        const { id } = await send('POST', name, toValues(version, mark))
        if (id !== undefined) await send('PATCH', `${name}/${id}`, toValues(version, `${mark} b`))
        await send('GET', `${name}?limit=5`)
      }
    }
  }

  const working = Array.from({ length: CLIENTS }, (_, client) => work(client))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(working)
      return { requests, failures }
    },
  }
}
