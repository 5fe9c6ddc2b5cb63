import type { RunInPage } from '@sdk/test-kit'
import { expect } from 'vitest'
import { soon } from '../soon.ts'
import type { Component, Seen } from './page.ts'

/** Does in the page what its stage allows. */
export interface Actor {
  readonly run: RunInPage
  show(...components: Component[]): Promise<void>
  see(name: string): Promise<Seen>
  /** Sends messages, one after the other; were all of them taken? */
  send(name: string, ...messages: unknown[]): Promise<boolean>
  close(name: string): Promise<void>
  /** Waits until it looks like this to a component. */
  until(name: string, seen: Partial<Seen>): Promise<void>
}

/** An actor in a page. */
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
