/** Shows a socket in a component: the history, live messages, and messages that wait to be sent. */
import { useAuth, usePages, useWebsocket, type PageItem } from '@sdk/react'
import { useMemo, useState } from 'react'
import { newKey } from './new-key.ts'

/** A message of the room. */
export type Message = Omit<PageItem<'GET /api/v1/messages'>, 'updatedAt'>

/** One of our messages that the room has not delivered back yet. */
interface Waiting {
  key: string
  text: string
}

/** The chat room; it stays connected while the app is open. */
export type Chat = ReturnType<typeof useChat>

export function useChat() {
  const { user } = useAuth()
  const [heard, setHeard] = useState<readonly Message[]>([])
  const [sent, setSent] = useState<readonly Waiting[]>([])
  const [seen, setSeen] = useState(0)
  const [hasGap, setHasGap] = useState(false)
  const history = usePages('GET /api/v1/messages', { query: { sort: '-id', limit: 30 } })
  const socket = useWebsocket('/ws/chat', {
    maxMessages: 1, // messages are kept in the state above, without those that are also in the history
    onMessage: (message) => setHeard((before) => [...before, message]),
    // The server keeps messages for a few minutes. After a longer absence, read them from the table.
    onGap() {
      setHasGap(true)
      void history.refetch()
    },
  })

  const messages = useMemo(() => inOrder([...history.items, ...heard]), [history.items, heard])
  const waiting = useMemo(() => {
    const said = new Set(messages.map(({ key }) => key))
    return sent.filter(({ key }) => !said.has(`${user?.id} ${key}`))
  }, [messages, sent, user?.id])
  const newest = messages.at(-1)?.id ?? 0

  return {
    messages,
    waiting,
    history,
    hasGap,
    status: socket.status,
    isConnected: socket.isConnected,
    /** The reason why our last message was rejected, or null. */
    refusal: socket.isConnected && socket.pending === 0 ? socket.error : null,
    unread: seen === 0 ? 0 : messages.filter(({ id, userId }) => id > seen && userId !== user?.id).length,
    /** Marks all messages as read. */
    markRead: () => setSeen(newest),
    /** Sends now, or when the connection is restored. Returns false if the queue is full. */
    say(text: string): boolean {
      const message = { key: newKey(), text }
      const isTaken = socket.send(message)
      if (isTaken) setSent((before) => [...before, message])
      return isTaken
    },
  }
}

/** Removes duplicates and sorts the messages, oldest first. */
function inOrder(messages: readonly Message[]): Message[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  return [...byId.values()].toSorted((a, b) => a.id - b.id)
}
