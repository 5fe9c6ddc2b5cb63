import { useEffect, useRef } from 'react'
import type { Hotkey } from '../shortcuts.ts'

/** Actions by hotkey: `mod+k` (⌘ or Ctrl), `g h` (a sequence), `?`, `Escape`, `mod+Enter`. */
export type Hotkeys = { readonly [Key in Hotkey]?: () => void }

const SEQUENCE_MS = 1200

const layers: { current: Readonly<Record<string, (() => void) | undefined>> }[] = []
let pending: { keys: string; at: number } | null = null

/**
 * Adds hotkeys while the component is mounted. Components that were mounted later take precedence. Keys that enter text
 * are left to the focused field, and all keys are left to an open dialog.
 * @example useHotkeys({ j: next, k: previous, 'mod+Enter': run })
 */
export function useHotkeys(keys: Hotkeys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    if (layers.length === 0) document.addEventListener('keydown', onHotkey)
    layers.unshift(latest)
    return () => {
      layers.splice(layers.indexOf(latest), 1)
      if (layers.length === 0) document.removeEventListener('keydown', onHotkey)
    }
  }, [])
}

function onHotkey(event: KeyboardEvent): void {
  const key = toKey(event)
  if (key === null || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
  if (isTyping(event.target) && !key.startsWith('mod+') && key !== 'Escape') return
  if ((key === 'Enter' || key === ' ') && isPressable(event.target)) return
  const isNext = pending !== null && event.timeStamp - pending.at < SEQUENCE_MS
  const keys = isNext ? `${pending?.keys} ${key}` : key
  pending = null
  const action = layers.find(({ current }) => Object.hasOwn(current, keys))?.current[keys]
  if (action !== undefined) {
    event.preventDefault()
    action()
  } else if (layers.some(({ current }) => Object.keys(current).some((name) => name.startsWith(`${keys} `)))) {
    pending = { keys, at: event.timeStamp }
  }
}

/** Returns the name of a key, or null if it cannot be a hotkey, such as a modifier or any key pressed with Alt. */
function toKey(event: KeyboardEvent): string | null {
  if (event.isComposing || event.altKey || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return null
  const isMod = event.metaKey || event.ctrlKey
  return isMod ? `mod+${event.key.length === 1 ? event.key.toLowerCase() : event.key}` : event.key
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, [contenteditable="true"]') !== null
}

/** Returns whether the focused element handles Enter or Space itself. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary') !== null
}

const IS_MAC = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Returns the labels of a hotkey for this keyboard, such as `⌘K` or `Ctrl K`. */
export function toKeyLabels(keys: string): string[] {
  const names: Readonly<Record<string, string>> = { mod: IS_MAC ? '⌘' : 'Ctrl', Enter: '⏎', Escape: 'Esc' }
  return keys
    .split(/[+ ]/)
    .map((key) => names[key] ?? (key.length === 1 && keys.startsWith('mod') ? key.toUpperCase() : key))
}
