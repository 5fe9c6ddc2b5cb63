/** Shows the comments of a task as they are written, page by page, and a form for another one. */
import { useAPI, usePages } from '@sdk/react'
import { useState } from 'react'
import { explain } from '../explain.ts'
import { newKey } from '../new-key.ts'
import { Notice } from './Notice.tsx'

const LIST = 'GET /api/v1/comments'

export function Comments({ taskId }: { taskId: number }) {
  const query = { taskId, sort: '-createdAt', limit: 20 } as const
  const { items, isLoading, error, refetch, hasMore, isFetchingNext, fetchNext } = usePages(LIST, { query, live: true })
  return (
    <div className="comments">
      {error !== null && <Notice actions={{ 'Load again': () => void refetch() }}>{explain(error)}</Notice>}
      {hasMore && (
        <button type="button" className="second small more" disabled={isFetchingNext} onClick={fetchNext}>
          Show earlier comments
        </button>
      )}
      {!isLoading && error === null && items.length === 0 && <p className="quiet">No comments yet.</p>}
      <ul aria-label="Comments" hidden={items.length === 0}>
        {items.toReversed().map(({ id, author, text, createdAt }) => (
          <li key={id}>
            <p className="quiet">
              <strong>{author}</strong> <time dateTime={createdAt}>{timeOf(createdAt)}</time>
            </p>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <NewComment taskId={taskId} />
    </div>
  )
}

function NewComment({ taskId }: { taskId: number }) {
  const [text, setText] = useState('')
  const { invoke, isLoading, error } = useAPI('POST /api/v1/comments', {
    invalidates: [LIST, 'GET /api/v1/tasks', 'GET /api/v1/assignedTasks'],
  })
  async function send(): Promise<void> {
    await invoke({ taskId, text }, { headers: { 'idempotency-key': newKey() } })
    setText('')
  }
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        send().catch(() => {}) // the error is shown below, and the text stays
      }}
    >
      <input
        aria-label="Comment"
        placeholder="Write a comment"
        maxLength={2000}
        required
        pattern=".*\S.*"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="second" disabled={isLoading}>
        Comment
      </button>
      {error !== null && <Notice>Your comment was not saved. {explain(error)}</Notice>}
    </form>
  )
}

function timeOf(createdAt: string): string {
  return new Date(createdAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}
