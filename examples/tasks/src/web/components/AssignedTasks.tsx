/** Shows the tasks that others assign to the user, as soon as they do: the same table under another access rule. */
import { useAPI, usePages, type PageItem } from '@sdk/react'
import { useId, useState } from 'react'
import { explain } from '../explain.ts'
import { Comments } from './Comments.tsx'
import { CommentToggle } from './CommentToggle.tsx'
import { Notice } from './Notice.tsx'

const LIST = 'GET /api/v1/assignedTasks'

/** The values of other resources that the list adds to each task. */
const SHOWN = { expand: ['owner', 'commentCount'] } as const

type AssignedTask = PageItem<typeof LIST> & { owner?: { name: string } | null; commentCount?: number }

export function AssignedTasks() {
  const query = { ...SHOWN, sort: '-id', limit: 20 } as const
  const { items, hasMore, isFetchingNext, fetchNext } = usePages(LIST, { query, live: true })
  if (items.length === 0) return null
  return (
    <>
      <h2>Assigned to you</h2>
      <ul className="tasks card" aria-label="Assigned to you">
        {items.map((task) => (
          <AssignedItem key={task.id} task={task} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="second more" disabled={isFetchingNext} onClick={fetchNext}>
          {isFetchingNext ? 'Loading …' : 'Load more'}
        </button>
      )}
    </>
  )
}

function AssignedItem({ task: { id, title, done, owner, commentCount = 0 } }: { task: AssignedTask }) {
  const [isOpen, setIsOpen] = useState(false)
  const detailsId = useId()
  const update = useAPI('PATCH /api/v1/assignedTasks/:id', {
    optimistic: (cache) =>
      cache.update(LIST, (page) => ({
        ...page,
        data: page.data.map((one) => (one.id === id ? { ...one, done: !done } : one)),
      })),
  })
  return (
    <li>
      <div className="task">
        <label>
          <input
            type="checkbox"
            checked={done}
            onChange={() => void update.invoke({ done: !done }, { params: { id } }).catch(() => {})}
          />
          <span className={done ? 'done' : ''}>{title}</span>
        </label>
        {owner && <span className="facts quiet">from {owner.name}</span>}
      </div>
      <CommentToggle
        title={title}
        count={commentCount}
        isOpen={isOpen}
        controls={detailsId}
        onToggle={() => setIsOpen(!isOpen)}
      />
      {update.error !== null && <Notice>The task was not changed. {explain(update.error)}</Notice>}
      {isOpen && (
        <section id={detailsId} className="details" aria-label={`Details of ${title}`}>
          <Comments taskId={id} />
        </section>
      )}
    </li>
  )
}
