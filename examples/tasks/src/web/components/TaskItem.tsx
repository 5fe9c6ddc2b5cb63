/** Shows one task: completed with one click, edited in place, and unfolded for its labels, assignee and comments. */
import { useId, useState } from 'react'
import type { Task, useTasks } from '../use-tasks.ts'
import { CommentToggle } from './CommentToggle.tsx'
import { Icon } from './Icon.tsx'
import { PRIORITIES } from './PrioritySelect.tsx'
import { TaskDetails } from './TaskDetails.tsx'
import { TaskEditor } from './TaskEditor.tsx'

interface TaskItemProps {
  task: Task
  tasks: ReturnType<typeof useTasks>
}

export function TaskItem({ task, tasks }: TaskItemProps) {
  const [isEdited, setIsEdited] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const detailsId = useId()
  const { title, done } = task
  const isSaving = task.id < 0
  if (isEdited) {
    return (
      <li>
        <TaskEditor task={task} tasks={tasks} onClose={() => setIsEdited(false)} />
      </li>
    )
  }
  return (
    <li aria-busy={isSaving}>
      <div className="task">
        <label>
          <input type="checkbox" checked={done} onChange={() => tasks.toggle(task)} />
          <span className={done ? 'done' : ''}>{title}</span>
        </label>
        <TaskFacts task={task} />
      </div>
      <CommentToggle
        title={title}
        count={task.commentCount ?? 0}
        isOpen={isOpen}
        isDisabled={isSaving}
        controls={detailsId}
        onToggle={() => setIsOpen(!isOpen)}
      />
      <button
        type="button"
        className="bare"
        aria-label={`Edit ${title}`}
        disabled={isSaving}
        onClick={() => setIsEdited(true)}
      >
        <Icon name="edit" />
      </button>
      <button type="button" className="bare" aria-label={`Delete ${title}`} onClick={() => tasks.remove(task)}>
        <Icon name="remove" />
      </button>
      {isOpen && <TaskDetails id={detailsId} task={task} tasks={tasks} />}
    </li>
  )
}

/** The labels, the assignee and the priority, beside the title or below it. */
function TaskFacts({ task: { id, labels, assignee, assigneeId, priority } }: { task: Task }) {
  return (
    <div className="facts">
      {labels?.map((label) => (
        <span key={label.id} className="chip">
          {label.name}
        </span>
      ))}
      {assignee && assignee.id === assigneeId && (
        <span className="assignee">
          <Icon name="account" />
          <span className="unseen">Assigned to </span>
          {assignee.name}
        </span>
      )}
      <span className="priority" data-priority={priority}>
        {id < 0 ? 'Not saved yet' : PRIORITIES[priority]}
      </span>
    </div>
  )
}
