/** Shows the task list: its filters, its pages, and its loading, empty and error states. */
import { useState } from 'react'
import { explain } from '../explain.ts'
import { useTasks, type Filters } from '../use-tasks.ts'
import { AssignedTasks } from './AssignedTasks.tsx'
import { Choice } from './Choice.tsx'
import { EXAMPLES } from './examples.ts'
import { NewTask } from './NewTask.tsx'
import { Notice } from './Notice.tsx'
import { Outbox } from './Outbox.tsx'
import { PageTitle } from './PageTitle.tsx'
import { Skeleton } from './Skeleton.tsx'
import { TaskItem } from './TaskItem.tsx'
import './tasks.css'

const ALL: Filters = { show: 'all', priority: 'any', sort: '-createdAt', search: '' }

export default function Tasks() {
  const [filters, setFilters] = useState(ALL)
  const tasks = useTasks(filters)
  const { items, total, isLoading, error, hasMore, isFetchingNext, fetchNext, refetch } = tasks.list

  return (
    <>
      <PageTitle title="Tasks" lead="Only you and people you assign see your tasks. You can change them offline." />
      <NewTask onAdd={tasks.add} />
      <Outbox />
      <TaskFilters filters={filters} onChange={setFilters} />
      {tasks.failure !== null && <Notice actions={{ 'Try again': tasks.failure.retry }}>{tasks.failure.text}</Notice>}
      {isLoading && <Skeleton rows={4} />}
      {error !== null && items.length === 0 && (
        <Notice actions={{ 'Load again': () => void refetch() }}>{explain(error)}</Notice>
      )}
      {items.length > 0 && (
        <ul className="tasks card" aria-label="Tasks">
          {items.map((task) => (
            <TaskItem key={task.id} task={task} tasks={tasks} />
          ))}
        </ul>
      )}
      {!isLoading && error === null && items.length === 0 && (
        <div className="empty card">
          <h2>{filters === ALL ? 'No tasks yet' : 'No matching tasks'}</h2>
          {filters === ALL ? (
            <button type="button" className="second" onClick={() => EXAMPLES.forEach(tasks.add)}>
              Add sample tasks
            </button>
          ) : (
            <button type="button" className="second" onClick={() => setFilters(ALL)}>
              Show all tasks
            </button>
          )}
        </div>
      )}
      {hasMore && (
        <button type="button" className="second more" disabled={isFetchingNext} onClick={fetchNext}>
          {isFetchingNext ? 'Loading …' : 'Load more'}
        </button>
      )}
      {total !== undefined && items.length > 0 && (
        <p className="quiet total" role="status">
          {Math.min(items.length, total)} of {total} tasks
        </p>
      )}
      <AssignedTasks />
    </>
  )
}

const SHOWN = [
  ['all', 'All'],
  ['open', 'Open'],
  ['done', 'Done'],
] as const

const PRIORITIES = [
  ['any', 'Any'],
  ['1', 'High'],
  ['2', 'Normal'],
  ['3', 'Low'],
] as const

const ORDERS = [
  ['-createdAt', 'Newest'],
  ['priority', 'Important'],
] as const

interface TaskFiltersProps {
  filters: Filters
  onChange: (filters: Filters) => void
}

/** The query of the list. The server filters and sorts, so it works for any number of tasks. */
function TaskFilters({ filters, onChange }: TaskFiltersProps) {
  const { show, priority, sort, search } = filters
  return (
    <div className="filters">
      <input
        type="search"
        aria-label="Search tasks"
        placeholder="Search"
        maxLength={200}
        value={search}
        onChange={(event) => onChange({ ...filters, search: event.target.value })}
      />
      <Choice label="Show" value={show} options={SHOWN} onChange={(next) => onChange({ ...filters, show: next })} />
      <Choice label="Order" value={sort} options={ORDERS} onChange={(next) => onChange({ ...filters, sort: next })} />
      <Choice
        label="Priority"
        value={priority}
        options={PRIORITIES}
        onChange={(next) => onChange({ ...filters, priority: next })}
      />
    </div>
  )
}
