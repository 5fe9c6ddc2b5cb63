import { useState } from 'react'
import { createRequestId } from '../runner/runner-call.ts'
import type { RunnerState } from '../runner/use-runner.ts'
import { isAsking, toAnswerParts, toChatInput, withDecision, type ChatStyle } from './chat.ts'
import type { ChatMessage } from './chat-message.ts'
import { toMessage, toTextMessage } from './conversation.ts'

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

/** Returns the conversation with an agent. Each message is a call of the runner. */
export function useChat({ call, input, setInput, send }: RunnerState, style: ChatStyle | null) {
  const [turns, setTurns] = useState(createTurns)
  const isOwn = turns.body !== null && call.sent?.body === turns.body
  // An answer whose tool calls were decided continues.
  const last = turns.sent.at(-1)
  const begun = last?.role === 'assistant' ? last : null
  const asked = begun === null ? turns.sent : turns.sent.slice(0, -1)
  const parts = toAnswerParts(isOwn ? call.output : null, begun?.parts ?? [])
  const received = parts.length === 0 ? null : toMessage(`answer-${asked.length}`, 'assistant', parts)
  const answer = turns.decided ?? received
  const messages = answer === null ? asked : [...asked, answer]

  function sendAll(sent: readonly ChatMessage[]): void {
    const next = toChatInput(input, { style: style ?? 'parts', messages: sent, thread: turns.thread })
    setTurns({ ...turns, sent, body: next.body, decided: null })
    setInput(next)
    send(next)
  }

  return {
    messages,
    isBusy: isOwn && call.isRunning,
    error: isOwn ? call.error : null,
    isCancelled: isOwn && call.state === 'cancelled',
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
