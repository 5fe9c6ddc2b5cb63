import type { RunList } from '@sdk/workbench'
import type { DevServerInfo } from '../dev/dev-server-info.ts'

/** How long a running dev server may take to answer whether it runs. */
const ANSWER_MS = 2000

/** Does a dev server answer at its address? A process that was killed leaves its address, and another may get its id. */
export async function isDevServerUp(info: DevServerInfo): Promise<boolean> {
  return (await requestWorkbench(info, 'GET settings', AbortSignal.timeout(ANSWER_MS))) !== null
}

/** The run of a request at a running dev server; null where it was not recorded. */
export async function findDevServerRun(info: DevServerInfo, requestId: string): Promise<string | null> {
  const query = new URLSearchParams({ requestId, limit: '1' })
  const list = await requestWorkbench<RunList>(info, `GET runs?${query.toString()}`)
  return list?.runs[0]?.id ?? null
}

/** Deletes the runs of a running dev server; gives how many there were. Null where it does not answer. */
export async function clearDevServerRuns(info: DevServerInfo): Promise<number | null> {
  return (await requestWorkbench<{ deleted: number }>(info, 'DELETE runs'))?.deleted ?? null
}

/** Sends a request to the workbench as one of its pages would. */
async function requestWorkbench<T>(
  info: DevServerInfo,
  request: `${'GET' | 'DELETE'} ${string}`,
  signal?: AbortSignal,
): Promise<T | null> {
  const [method = 'GET', path = ''] = request.split(' ')
  const { workbenchHeaders } = await import('@sdk/workbench')
  try {
    const headers = { ...workbenchHeaders(info.url, info.pass) }
    const response = await fetch(new URL(`/_workbench/api/${path}`, info.url), {
      method,
      headers,
      signal: signal ?? null,
    })
    return response.ok ? ((await response.json()) as T) : null
  } catch {
    return null // the dev server does not answer, or has ended meanwhile
  }
}
