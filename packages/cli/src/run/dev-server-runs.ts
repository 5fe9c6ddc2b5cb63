import type { RunList } from '@sdk/workbench'
import type { DevServerInfo } from '../dev/dev-server-info.ts'

/** The timeout for a response from a running dev server, in ms. */
const ANSWER_MS = 2000

/** Returns whether a dev server responds: a killed one leaves `.sdk/dev.json` behind, and its pid may be reused. */
export async function isDevServerUp(info: DevServerInfo): Promise<boolean> {
  return (await requestWorkbench(info, 'GET settings', AbortSignal.timeout(ANSWER_MS))) !== null
}

/** Returns the id of a request's run on a running dev server, or null if it was not recorded. */
export async function findDevServerRun(info: DevServerInfo, requestId: string): Promise<string | null> {
  const query = new URLSearchParams({ requestId, limit: '1' })
  const list = await requestWorkbench<RunList>(info, `GET runs?${query.toString()}`)
  return list?.runs[0]?.id ?? null
}

/** Deletes a running dev server's runs. Returns the number of deleted runs, or null if the server does not respond. */
export async function clearDevServerRuns(info: DevServerInfo): Promise<number | null> {
  return (await requestWorkbench<{ deleted: number }>(info, 'DELETE runs'))?.deleted ?? null
}

/** A request to the workbench. */
type WorkbenchRequest = `${'GET' | 'DELETE'} ${string}`

/** Returns the JSON of a response of the workbench, or null if the request fails. */
export async function requestWorkbench<T>(
  info: DevServerInfo,
  request: WorkbenchRequest,
  signal?: AbortSignal,
): Promise<T | null> {
  try {
    const response = await fetchWorkbench(info, request, signal)
    return response?.ok === true ? ((await response.json()) as T) : null
  } catch {
    return null // the dev server has stopped in the middle of the response
  }
}

/** Sends a request to the workbench, as one of its pages would. Returns null if the dev server does not respond. */
export async function fetchWorkbench(
  info: DevServerInfo,
  request: WorkbenchRequest,
  signal?: AbortSignal,
): Promise<Response | null> {
  const [method = 'GET', path = ''] = request.split(' ')
  const { workbenchHeaders } = await import('@sdk/workbench')
  try {
    const headers = { ...workbenchHeaders(info.url, info.pass) }
    return await fetch(new URL(`/_workbench/api/${path}`, info.url), { method, headers, signal: signal ?? null })
  } catch {
    return null
  }
}
