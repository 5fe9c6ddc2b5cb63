/** A registry with sockets, which registry.test.ts compiles as a separate program. */
import { createClient } from '@sdk/frontend'
import type { HasTypes } from '@sdk/protocol'
import { useWebsocket } from './use-websocket.ts'

declare module '@sdk/protocol' {
  interface Sockets {
    '/ws/chat': HasTypes<{ send: { text: string }; receive: { n: number } }>
    '/ws/rooms/:id': HasTypes<{ send: string; receive: string }>
  }
}

export function Chat(): void {
  const chat = useWebsocket('/ws/chat', { onMessage: ({ n }) => n.toFixed() })
  chat.send({ text: 'x' })
  chat.messages[0]?.n.toFixed()
  useWebsocket('/ws/rooms/:id', { params: { id: 1 } }).data?.trim()
  createClient().socket('/ws/chat').send({ text: 'x' })
  createClient().socket('/ws/rooms/:id', { params: { id: 1 } })
  // @ts-expect-error -- no such message
  chat.send({ txt: 'x' })
  // @ts-expect-error -- no such member
  void chat.data?.nope
  // @ts-expect-error -- its path has params
  useWebsocket('/ws/rooms/:id')
  // @ts-expect-error -- its path has params
  createClient().socket('/ws/rooms/:id')
  // @ts-expect-error -- no such message
  createClient().socket('/ws/chat').send(1)
  useWebsocket('/ws/nope')
  createClient().socket('/ws/nope')
}
