import { useEffect, type ReactNode } from 'react'
import type { RunInspection } from '../../api.ts'
import { parseJson } from '../components/parse-json.ts'
import { useDurableRun, useDurableRuns } from '../durable/use-durable.ts'
import { isAsking, toAnswerParts } from './chat.ts'
import type { ChatMessage, ChatPart } from './chat-message.ts'
import { ConversationView } from './conversation-view.tsx'
import { toMessage } from './conversation.ts'
import { DecideNotice } from './decide-notice.tsx'

interface LateAnswerProps {
  readonly agent: string
  readonly thread: string
  /** Called with the complete answer. */
  readonly onEnd: (answer: ChatMessage) => void
}

/** The answer of the newest run of a thread, which goes on while its page is reloaded. */
export function LateAnswer({ agent, thread, onEnd }: LateAnswerProps): ReactNode {
  const id = useDurableRuns({ agent, thread, limit: 1 })?.runs[0]?.id
  return id !== undefined && <RunAnswer id={id} onEnd={onEnd} />
}

function RunAnswer({ id, onEnd }: Pick<LateAnswerProps, 'onEnd'> & { id: string }): ReactNode {
  const { found } = useDurableRun(id)
  const isOver = found !== undefined && found.run.endedAt !== null
  const answer = found === undefined ? null : toMessage(`answer-${id}`, 'assistant', toRunParts(found))
  useEffect(() => {
    if (isOver && answer !== null) onEnd(answer)
    // oxlint-disable-next-line react/exhaustive-deps -- the answer does not change once the run is over
  }, [isOver])
  if (answer === null || isOver) return null
  return (
    <>
      <ConversationView messages={[answer]} isBusy />
      {isAsking(answer) && <DecideNotice runId={id} />}
    </>
  )
}

function toRunParts({ run, chunks, firstChunk, output, error }: RunInspection): readonly ChatPart[] {
  const received = chunks.map(({ text }) => parseJson(text))
  const parts = firstChunk > 0 ? [] : toAnswerParts(run.isStream ? received : parseJson(output?.text ?? ''), [])
  if (run.status === 'cancelled') return [...parts, { type: 'abort' }]
  if (error === null) return parts
  const { message = error.text } = (parseJson(error.text) ?? {}) as { message?: string }
  return [...parts, { type: 'error', errorText: message }]
}
