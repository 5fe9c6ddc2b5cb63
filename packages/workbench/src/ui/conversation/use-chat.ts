import { useEffect, useMemo, useState } from 'react'
import { shortName } from '../components/route-name.tsx'
import { createRequestId } from '../runner/runner-call.ts'
import type { RunnerState } from '../runner/use-runner.ts'
import { isAsking, toAnswerParts, toChatInput, withDecision, type ChatStyle } from './chat.ts'
import type { ChatMessage } from './chat-message.ts'
import { toMessage, toTextMessage } from './conversation.ts'
import { readChat, storeChat } from './stored-chat.ts'

/** The conversation of a runner. */
export type ChatState = ReturnType<typeof useChat>

interface Turns {
  readonly thread: string
  /** The messages up to the one that was sent last. */
  readonly sent: readonly ChatMessage[]
  /** The body of the last call, which identifies it. */
  readonly body: string | null
  /** The answer without its decisions, once some of its tool calls are decided. */
  readonly decided: ChatMessage | null
}

const createTurns = (): Turns => ({ thread: createRequestId(), sent: [], body: null, decided: null })

/** Returns the conversation before a reload, or a new one. */
function restoreTurns(route: string): Turns {
  const stored = readChat(route)
  return stored === null ? createTurns() : { ...createTurns(), thread: stored.thread, sent: stored.messages }
}

/** Returns the conversation with an agent. Each message is a call of the runner. */
export function useChat(route: string, { call, input, setInput, send }: RunnerState, style: ChatStyle | null) {
  const [turns, setTurns] = useState(() => restoreTurns(route))
  const { thread } = turns
  const isOwn = turns.body !== null && call.sent?.body === turns.body
  const isBusy = isOwn && call.isRunning
  const output = isOwn ? call.output : null
  const { asked, answer } = useMemo(() => readTurns(turns, output), [turns, output])
  const messages = useMemo(() => (answer === null ? asked : [...asked, answer]), [asked, answer])
  // A reload aborts the call, but the run goes on: its answer is then read from the stored run.
  const isPartial = isBusy || (style === 'text' && isOwn && call.state !== 'done')
  useEffect(() => {
    if (style !== null && !isPartial) storeChat(route, { thread, messages })
  }, [route, style, thread, messages, isPartial])

  function sendAll(sent: readonly ChatMessage[]): void {
    const next = toChatInput(input, { style: style ?? 'parts', messages: sent, thread })
    storeChat(route, { thread, messages: sent })
    setTurns({ ...turns, sent, body: next.body, decided: null })
    setInput(next)
    send(next)
  }

  return {
    messages,
    isBusy,
    error: isOwn ? call.error : null,
    isCancelled: isOwn && call.state === 'cancelled',
    /** The run that answers the last message, which was sent before a reload. Null if there is none. */
    late:
      style === 'text' && !isOwn && messages.at(-1)?.role === 'user'
        ? {
            agent: shortName(route),
            thread,
            onEnd: (late: ChatMessage) => setTurns({ ...turns, sent: [...messages, late] }),
          }
        : null,
    say: (text: string) => sendAll([...messages, toTextMessage(createRequestId(), text)]),
    cancel: call.cancel,
    restart: () => setTurns(createTurns()),
    /** Approves or rejects a tool call. The message is sent once all of its calls are decided. */
    decide(toolCallId: string, isApproved: boolean): void {
      if (answer === null) return
      const decided = withDecision(answer, toolCallId, isApproved)
      if (isAsking(decided)) setTurns({ ...turns, decided })
      else sendAll([...asked, decided])
    },
  }
}

/** Returns the messages up to the answer to the last call, and the answer. */
function readTurns(turns: Turns, output: unknown): { asked: readonly ChatMessage[]; answer: ChatMessage | null } {
  // An answer whose tool calls were decided continues.
  const last = turns.sent.at(-1)
  const begun = last?.role === 'assistant' ? last : null
  const asked = begun === null ? turns.sent : turns.sent.slice(0, -1)
  const parts = toAnswerParts(output, begun?.parts ?? [])
  const received = parts.length === 0 ? null : toMessage(`answer-${asked.length}`, 'assistant', parts)
  return { asked, answer: turns.decided ?? received }
}
