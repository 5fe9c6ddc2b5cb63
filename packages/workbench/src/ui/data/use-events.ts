import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { WorkbenchEvents } from '../../api.ts'

type Name = keyof WorkbenchEvents

/** One stream of events for the whole page; the browser connects again by itself, and asks for what it missed. */
let source: EventSource | null = null
let isOpen = false
let users = 0
const watchers = new Set<() => void>()

function join(): EventSource {
  users++
  source ??= open()
  return source
}

/** The last one closes it. */
function leave(): void {
  if (--users > 0) return
  source?.close()
  source = null
  isOpen = false
}

function open(): EventSource {
  const opened = new EventSource('/_workbench/api/events')
  const tell = (now: boolean) => (): void => {
    isOpen = now
    for (const watcher of watchers) watcher()
  }
  opened.addEventListener('open', tell(true))
  opened.addEventListener('error', tell(false))
  return opened
}

/** Calls back for every event of a kind, while the component is there. */
export function useEvents<N extends Name>(name: N, listener: (event: WorkbenchEvents[N]) => void): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const hear = (event: MessageEvent<string>): void => latest.current(JSON.parse(event.data) as WorkbenchEvents[N])
    const events = join()
    events.addEventListener(name, hear)
    return () => {
      events.removeEventListener(name, hear)
      leave()
    }
  }, [name])
}

/** Does the dev server answer? */
export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => isOpen)
}

function subscribe(watcher: () => void): () => void {
  join()
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
    leave()
  }
}
