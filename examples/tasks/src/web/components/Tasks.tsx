import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'

/** A resource: its list by GET, and forms that add, change and remove. */
export function Tasks(): ReactNode {
  const [title, setTitle] = useState('')
  const tasks = useAPI('GET /api/v1/tasks', { query: { sort: '-createdAt', limit: 50 } })
  const change = useAPI('PATCH /api/v1/tasks/:id', { invalidates: ['GET /api/v1/tasks'] })
  const remove = useAPI('DELETE /api/v1/tasks/:id', { invalidates: ['GET /api/v1/tasks'] })
  const add = useAPI('POST /api/v1/tasks', { invalidates: ['GET /api/v1/tasks'], onSuccess: () => setTitle('') })
  const { error } = [add, change, remove].find(({ isError }) => isError) ?? add

  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">To do</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add.invoke({ title })
        }}
      >
        <input
          aria-label="New task"
          placeholder="What is next?"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <button type="submit" disabled={add.isLoading}>
          Add
        </button>
      </form>
      {error !== null && <p role="alert">{error.message}</p>}
      {tasks.isLoading && <p className="quiet">loading …</p>}
      <ul className="tasks">
        {tasks.data?.data.map(({ id, title: text, done, author }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={() => void change.invoke({ done: !done }, { params: { id } })}
              />
              {done ? <s>{text}</s> : text} {author !== null && <small className="quiet">by {author}</small>}
            </label>
            <button type="button" aria-label={`Remove ${text}`} onClick={() => void remove.invoke({ params: { id } })}>
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
