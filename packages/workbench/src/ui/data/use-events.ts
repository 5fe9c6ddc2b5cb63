import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { WorkbenchEvents } from '../../api.ts'

type Name = keyof WorkbenchEvents

const NAMES: readonly Name[] = ['run', 'manifest', 'log', 'cleared']

/** The `readyState` of an `EventSource` that has given up. */
const CLOSED = 2

/** How long to wait before a new attempt, after an answer that was not an event stream. */
const AGAIN_MS = 1500

/** One event stream for the whole page. The browser reconnects by itself, and asks for what it missed. */
let source: EventSource | null = null
let isOpen = false
let users = 0
let timer: ReturnType<typeof setTimeout> | undefined
const watchers = new Set<() => void>()
const listeners = new Map<Name, Set<(data: string) => void>>(NAMES.map((name) => [name, new Set()]))

function join(): void {
  users++
  source ??= open()
}

/** Closes the stream with its last listener. */
function leave(): void {
  if (--users > 0) return
  close()
  isOpen = false
}

function open(): EventSource {
  const opened = new EventSource('/_workbench/api/events')
  for (const name of NAMES) {
    opened.addEventListener(name, ({ data }: MessageEvent<string>) => {
      for (const listener of listeners.get(name) ?? []) listener(data)
    })
  }
  opened.addEventListener('open', () => tell(true))
  opened.addEventListener('error', () => {
    tell(false)
    // Browsers give up after an answer that is not an event stream, as while a server starts.
    if (opened.readyState !== CLOSED) return
    close()
    timer = setTimeout(() => {
      source = open()
    }, AGAIN_MS)
  })
  return opened
}

function close(): void {
  clearTimeout(timer)
  source?.close()
  source = null
}

function tell(now: boolean): void {
  isOpen = now
  for (const watcher of watchers) watcher()
}

/** Calls back for every event of a kind, while the component is there. */
export function useEvents<N extends Name>(name: N, listener: (event: WorkbenchEvents[N]) => void): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const hear = (data: string): void => latest.current(JSON.parse(data) as WorkbenchEvents[N])
    join()
    listeners.get(name)?.add(hear)
    return () => {
      listeners.get(name)?.delete(hear)
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
