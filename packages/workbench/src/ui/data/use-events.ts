import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { WorkbenchEvents } from '../../api.ts'

type Name = keyof WorkbenchEvents

/** One stream of events for the whole page; the browser connects again by itself, and asks for what it missed. */
let source: EventSource | null = null
let isOpen = false
const watchers = new Set<() => void>()

function open(): EventSource {
  if (source !== null) return source
  source = new EventSource('/_workbench/api/events')
  const tell = (now: boolean) => (): void => {
    isOpen = now
    for (const watcher of watchers) watcher()
  }
  source.addEventListener('open', tell(true))
  source.addEventListener('error', tell(false))
  return source
}

/** Calls back for every event of a kind, while the component is there. */
export function useEvents<N extends Name>(name: N, listener: (event: WorkbenchEvents[N]) => void): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const hear = (event: MessageEvent<string>): void => latest.current(JSON.parse(event.data) as WorkbenchEvents[N])
    const events = open()
    events.addEventListener(name, hear)
    return () => events.removeEventListener(name, hear)
  }, [name])
}

/** Does the dev server answer? */
export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => isOpen)
}

function subscribe(watcher: () => void): () => void {
  open()
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
