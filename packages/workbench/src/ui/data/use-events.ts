import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { WorkbenchEvents } from '../../api.ts'
import { eventsUrl } from './nonce.ts'

type EventName = keyof WorkbenchEvents

/** The `readyState` of an `EventSource` that no longer reconnects. */
const CLOSED = 2

/** The delay before reconnecting after a response that was not an event stream, in ms. */
const RECONNECT_MS = 1500

/** The page's only event stream. The browser reconnects automatically and requests the events that it missed. */
let source: EventSource | null = null
let isOpen = false
let users = 0
let timer: ReturnType<typeof setTimeout> | undefined
const connectionListeners = new Set<() => void>()
const listeners: Readonly<Record<EventName, Set<(data: string) => void>>> = {
  run: new Set(),
  manifest: new Set(),
  log: new Set(),
  cleared: new Set(),
}

/** Adds a listener to a set. The stream is open as long as there are listeners. */
function listen<T>(set: Set<T>, listener: T): () => void {
  users++
  source ??= openStream()
  set.add(listener)
  return () => {
    set.delete(listener)
    if (--users > 0) return
    closeStream()
    isOpen = false
  }
}

function openStream(): EventSource {
  const opened = new EventSource(eventsUrl())
  for (const [name, set] of Object.entries(listeners)) {
    opened.addEventListener(name, ({ data }: MessageEvent<string>) => {
      for (const listener of set) listener(data)
    })
  }
  opened.addEventListener('open', () => setConnected(true))
  opened.addEventListener('error', () => {
    setConnected(false)
    // Browsers do not reconnect after a response that is not an event stream, which can happen while a server starts.
    if (opened.readyState !== CLOSED) return
    closeStream()
    timer = setTimeout(() => {
      source = openStream()
    }, RECONNECT_MS)
  })
  return opened
}

function closeStream(): void {
  clearTimeout(timer)
  source?.close()
  source = null
}

function setConnected(now: boolean): void {
  isOpen = now
  for (const watcher of connectionListeners) watcher()
}

/** Calls the listener for every event with the given name while the component is mounted. */
export function useEvents<N extends EventName>(name: N, listener: (event: WorkbenchEvents[N]) => void): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => listen(listeners[name], (data) => latest.current(JSON.parse(data) as WorkbenchEvents[N])), [name])
}

/** Returns whether the page is connected to the dev server. */
export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribeConnection, () => isOpen)
}

function subscribeConnection(watcher: () => void): () => void {
  return listen(connectionListeners, watcher)
}
