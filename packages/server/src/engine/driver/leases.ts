import type { Log } from '../../log/log.ts'
import type { PresenceStore } from './presence-store.ts'

/** The members of this process. */
export interface LeasedRoom {
  readonly members: Map<string, string>
  /** May the store have other members than we? A call failed, or it lost its data. */
  isUncertain: boolean
}

/** What leases work with. */
export interface LeaseRenewalOptions {
  readonly rooms: Map<string, LeasedRoom>
  readonly store: PresenceStore
  readonly log: Log
  /** Milliseconds between two renewals. */
  readonly every: number
}

/** Renews the leases of rooms until it is stopped, and enters again where something may be lost. */
export function startLeaseRenewal({ rooms, store, log, every }: LeaseRenewalOptions): () => void {
  let lastRun: string | undefined
  let isRenewing = false
  const timer = setInterval(() => void renewAll(), every).unref()
  return () => clearInterval(timer)

  async function renewAll(): Promise<void> {
    if (isRenewing) return
    isRenewing = true
    try {
      const run = await store.readRun()
      if (run !== lastRun) for (const room of rooms.values()) room.isUncertain = true
      lastRun = run
      await renew([...rooms.keys()])
    } catch (error) {
      log.debug('leases will be renewed later', { error: String(error) })
    } finally {
      isRenewing = false
    }
  }

  async function renew(names: readonly string[]): Promise<void> {
    const sure = names.filter((name) => rooms.get(name)?.isUncertain === false)
    const lost = new Set(await store.renew(sure))
    for (const name of names) {
      const room = rooms.get(name)
      if (room !== undefined && (room.isUncertain || lost.has(name))) await enterAgain(name, room)
    }
  }

  async function enterAgain(name: string, room: LeasedRoom): Promise<void> {
    room.isUncertain = false
    try {
      await store.enterAll(name, room.members)
    } catch (error) {
      room.isUncertain = true
      throw error
    }
    if (room.members.size === 0 && !room.isUncertain) rooms.delete(name)
  }
}
