import type { RunList } from '@sdk/workbench'
import type { DevServerInfo } from '../dev/dev-server-info.ts'

/** The run of a request at a running dev server; null where it was not recorded. */
export async function findDevServerRun(note: DevServerInfo, requestId: string): Promise<string | null> {
  const query = new URLSearchParams({ requestId, limit: '1' })
  const list = await requestWorkbench<RunList>(note, 'GET', `runs?${query.toString()}`)
  return list?.runs[0]?.id ?? null
}

/** Deletes the runs of a running dev server; gives how many there were. Null where it does not answer. */
export async function clearDevServerRuns(note: DevServerInfo): Promise<number | null> {
  return (await requestWorkbench<{ deleted: number }>(note, 'DELETE', 'runs'))?.deleted ?? null
}

/** Asks the workbench as one of its pages would. */
async function requestWorkbench<Answer>(note: DevServerInfo, method: string, path: string): Promise<Answer | null> {
  const { workbenchHeaders } = await import('@sdk/workbench')
  try {
    const headers = { ...workbenchHeaders(note.url, note.pass) }
    const response = await fetch(new URL(`/_workbench/api/${path}`, note.url), { method, headers })
    return response.ok ? ((await response.json()) as Answer) : null
  } catch {
    return null // the dev server has ended meanwhile
  }
}
