import type { LiveInspection, Router } from '@sdk/server'
import type { LiveState } from '../api.ts'
import { addRoute } from './api-route.ts'

/** Dependencies of the route for live data. */
export interface LiveDependencies {
  /** Returns the live subscriptions to the app, or null if there is no app. */
  readonly live: () => LiveInspection | null
}

const MAX_LISTS = 200

const NONE: LiveInspection = {
  lists: [],
  subscriptions: 0,
  stats: { ticks: 0, tickMs: 0, lastTickMs: 0, reads: 0, advances: 0, heldBytes: 0 },
}

/** Adds the route for live data. */
export function addLiveRoutes(router: Router, { live }: LiveDependencies): void {
  addRoute(router, 'GET /_workbench/api/live', { handler: () => toLiveState(live() ?? NONE) })
}

function toLiveState({ lists, ...inspection }: LiveInspection): LiveState {
  return { ...inspection, lists: lists.slice(0, MAX_LISTS), total: lists.length }
}
