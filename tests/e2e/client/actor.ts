import type { RunInPage } from '@sdk/test-kit'
import { expect } from 'vitest'
import { soon } from '../soon.ts'
import type { Component, Hooks, Seen } from './page.ts'

/** Controls the hooks of a page. */
export interface Actor {
  readonly run: RunInPage
  show(...components: Component[]): Promise<void>
  /** Shows a component whose server has another origin. */
  showFrom(baseUrl: string, component: Component): Promise<void>
  see(name: string): Promise<Seen>
  /** Waits until a component shows this. */
  until(name: string, seen: Partial<Seen>): Promise<void>
  /** Clicks its button. */
  click(name: string): Promise<void>
  call(name: string, method: string, ...input: unknown[]): Promise<void>
  read<K extends 'history' | 'commits' | 'outcomes' | 'received' | 'callbacks'>(
    what: K,
    name: string,
  ): Promise<ReturnType<Hooks[K]>>
  faults(): Promise<string[]>
}

/** Creates an actor for a page. */
export function createActor(run: RunInPage): Actor {
  const see: Actor['see'] = (name) => run((it) => window.hooks.see(it), name)
  return {
    run,
    show: (...components) => run((them) => window.hooks.show(them), components),
    showFrom: (...all) => run(([baseUrl, it]) => window.hooks.show([it], baseUrl), all),
    see,
    until: (name, seen) => soon(async () => expect(await see(name)).toMatchObject(seen)),
    click: (name) => run((it) => window.hooks.click(it), name),
    call: (...all) => run(([name, method, ...input]) => window.hooks.call(name, method, ...input), all),
    read: (...all) => run(([what, name]) => window.hooks[what](name) as never, all),
    faults: () => run(() => window.hooks.faults(), null),
  }
}
