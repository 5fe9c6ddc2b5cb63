import { useSdk } from '@sdk/react'
import { useEffect, type ReactNode } from 'react'
import { useIsConnected } from '../data/use-events.ts'
import { Empty } from './empty.tsx'

/** The code of a page could not be loaded. */
export class PageLoadError extends Error {}

/** Converts an error of loading a page on demand to a `PageLoadError`, for the boundary around the page. */
export async function pageLoad<Module>(loading: Promise<Module>): Promise<Module> {
  try {
    return await loading
  } catch (cause) {
    throw new PageLoadError('the page could not be loaded', { cause })
  }
}

/** The minimum age of a document that reloads itself, in ms, so that it does not reload in a loop. */
const MIN_AGE_MS = 10_000

/**
 * The content in place of a page that could not be loaded: the dev server has stopped, or the workbench was upgraded
 * while it was open. React does not load a page again that failed once, so the document is reloaded.
 */
export function PageNotLoaded(): ReactNode {
  const isConnected = useIsConnected()
  const { client } = useSdk()
  useEffect(() => {
    if (!isConnected || performance.now() < MIN_AGE_MS) return undefined
    const controller = new AbortController()
    // The connection may have been lost without an event so far, and a reload would then show the browser's error page.
    client.send('GET /_workbench/api/manifest', undefined, { signal: controller.signal }).then(
      () => location.reload(),
      () => {},
    )
    return () => controller.abort()
  }, [isConnected, client])
  return (
    <Empty isPage title="This page could not be loaded">
      <p>
        Is <code>sdk dev</code> running? The workbench is reloaded once it responds.
      </p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload the workbench
      </button>
    </Empty>
  )
}
