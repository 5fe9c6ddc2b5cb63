import type { ReactNode } from 'react'
import type { InspectedRun, RunInspection } from '../../api.ts'
import { parseJson } from '../components/parse-json.ts'
import type { ChatMessage } from '../conversation/chat-message.ts'
import { ConversationView } from '../conversation/conversation-view.tsx'
import { readInput, toMessage } from '../conversation/conversation.ts'
import { isMessageStream, readAnswer } from '../conversation/read-answer.ts'
import { useDurableRun, useDurableRuns } from './use-durable.ts'

/** The number of earlier runs of the thread that are shown. */
const MAX_EARLIER = 20

/** The conversation of a run's thread, up to the run, or that of the run alone if it has no thread. */
export function ThreadConversation({ found }: { found: RunInspection }): ReactNode {
  const { run } = found
  const messages = toRunMessages(found)
  return (
    <div className="thread-conversation">
      {run.thread !== null && <EarlierRuns run={run} thread={run.thread} />}
      <ConversationView messages={messages} isBusy={run.endedAt === null} />
    </div>
  )
}

function EarlierRuns({ run: { agent, userId, id: before }, thread }: { run: InspectedRun; thread: string }): ReactNode {
  const list = useDurableRuns({ agent, thread, before, limit: MAX_EARLIER })
  // Another user may have a thread with the same name.
  const runs = (list?.runs ?? []).filter((run) => run.userId === userId)
  return (
    <>
      {list?.hasMore === true && <p className="quiet small">The last {MAX_EARLIER} earlier runs are shown.</p>}
      {runs.toReversed().map(({ id }) => (
        <EarlierRun key={id} id={id} />
      ))}
    </>
  )
}

function EarlierRun({ id }: { id: string }): ReactNode {
  const { found } = useDurableRun(id)
  const messages = found === undefined ? [] : toRunMessages(found)
  return messages.length > 0 && <ConversationView messages={messages} />
}

/** Returns whether a run streams a UI message, so that it has a conversation. */
export function isConversation({ chunks, firstChunk }: RunInspection): boolean {
  return firstChunk === 0 && isMessageStream([parseJson(chunks[0]?.text ?? '')])
}

function toRunMessages({ input, chunks }: RunInspection): ChatMessage[] {
  const answer = toMessage('answer', 'assistant', readAnswer(chunks.map(({ text }) => parseJson(text))))
  const asked = readInput(parseJson(input?.text ?? ''))
  return [...asked, answer]
}
