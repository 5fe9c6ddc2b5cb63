import type { RunInPage } from '@sdk/test-kit'
import { expect } from 'vitest'
import { soon } from '../soon.ts'
import type { Component, Seen } from './page.ts'

/** Controls a page. */
export interface Actor {
  readonly run: RunInPage
  show(...components: Component[]): Promise<void>
  see(name: string): Promise<Seen>
  /** Sends messages sequentially. Returns whether all were accepted. */
  send(name: string, ...messages: unknown[]): Promise<boolean>
  close(name: string): Promise<void>
  /** Waits until a component has this state. */
  until(name: string, seen: Partial<Seen>): Promise<void>
}

/** Creates an actor for a page. */
export function createActor(run: RunInPage): Actor {
  const see: Actor['see'] = (name) => run((it) => window.stage.see(it), name)
  return {
    run,
    show: (...components) => run((them) => window.stage.show(them), components),
    see,
    send: (...all) => run(([name, ...messages]) => messages.every((it) => window.stage.send(name, it)), all),
    close: (name) => run((it) => window.stage.close(it), name),
    until: (name, seen) => soon(async () => expect(await see(name)).toMatchObject(seen)),
  }
}
