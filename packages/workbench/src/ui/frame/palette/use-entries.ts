import { useAPI } from '@sdk/react'
import { useLocation } from 'wouter'
import type { Manifest } from '../../../manifest.ts'
import type { RunSummary } from '../../../run.ts'
import { identity } from '../../data/identity.ts'
import { useRuns } from '../../data/use-runs.ts'
import { linkTo, links } from '../../links.ts'
import { toTimestamp } from '../../components/format.ts'
import { shortName } from '../../components/route-name.tsx'
import { theme } from '../../settings/theme.ts'
import { FRAME_PAGES } from '../pages.ts'
import { actAs } from '../act-as.ts'
import type { PaletteEntry } from './search.ts'

const KINDS = { agent: 'Agent', resource: 'Resource', route: 'Route', socket: 'Socket' } as const

/** Dialogs that the palette can open. */
export interface PaletteDialogs {
  readonly onShortcuts: () => void
  readonly onClearRuns: () => void
}

/** Returns all palette entries: routes, pages, commands, users and runs. */
export function usePaletteEntries(manifest: Manifest | undefined, dialogs: PaletteDialogs): PaletteEntry[] {
  const [, go] = useLocation()
  const runs = useRuns({ limit: 20 })?.runs ?? []
  const routes = (manifest?.routes ?? []).map(({ route, kind, description }) => ({
    key: route,
    name: shortName(route),
    kind: KINDS[kind],
    hint: description,
    onSelect: () => go(linkTo({ route, kind })),
  }))
  const pages = FRAME_PAGES.map(({ name, href, keys }) => ({
    key: href,
    name,
    kind: 'Page',
    keys,
    onSelect: () => go(href),
  }))
  return [...routes, ...pages, ...useActions(dialogs), ...useUsers(), ...runs.map((run) => toRunEntry(run, go))]
}

function useActions({ onShortcuts, onClearRuns }: PaletteDialogs): PaletteEntry[] {
  const actions = [
    { name: 'Toggle theme', hint: 'dark light', onSelect: theme.toggle },
    { name: 'Run as anonymous', hint: 'signed out identity', onSelect: () => identity.use({ kind: 'anonymous' }) },
    { name: 'Run with this browser’s cookies', hint: 'identity', onSelect: () => identity.use({ kind: 'browser' }) },
    { name: 'Clear runs', hint: 'delete history', onSelect: onClearRuns },
    { name: 'Shortcuts', hint: 'keyboard help', keys: '?', onSelect: onShortcuts },
  ]
  return actions.map((action) => ({ ...action, key: action.name, kind: 'Action' }))
}

function useUsers(): PaletteEntry[] {
  const { data } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  return (data?.users ?? []).map(({ id, name, email }) => ({
    key: `user ${id}`,
    name: `Run as ${name}`,
    kind: 'Action',
    hint: email,
    onSelect: () => void actAs(id),
  }))
}

function toRunEntry(
  { id, route, target, status, state, startedAt }: RunSummary,
  go: (to: string) => void,
): PaletteEntry {
  return {
    key: `run ${id}`,
    name: shortName(route ?? target),
    kind: 'Run',
    hint: `${status > 0 ? status : state} at ${toTimestamp(startedAt)}`,
    onSelect: () => go(links.run(id)),
  }
}
