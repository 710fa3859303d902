import { lockNavigationView } from '../../core/database-locks.js';
import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import type { NavigationViewChange } from './navigation-views.events.js';
import { toWireNavigationView, navigationViewColumns, type WireNavigationView } from './wire-navigation-view.js';

/** Lists the navigation views of a user, in the order in which they were added. */
export async function listNavigationViews({ prisma }: PrismaReader, userId: number): Promise<WireNavigationView[]> {
  const rows = await prisma.navigationView.findMany({
    where: { userId },
    select: navigationViewColumns,
    orderBy: { id: 'asc' },
  });
  return rows.map(toWireNavigationView);
}

/** Inserts a navigation view. Returns false if the user already has a view with this URL fragment. */
export async function addNavigationView(
  { prisma }: ChatTransaction,
  userId: number,
  view: WireNavigationView,
): Promise<boolean> {
  const { fragment, is_pinned: isPinned, name } = view;
  const data = [{ userId, fragment, isPinned, name }];
  const { count } = await prisma.navigationView.createMany({ data, skipDuplicates: true });
  return count > 0;
}

/** Locks and returns a navigation view of the user. Returns null if the view does not exist. */
export async function lockView(
  tx: ChatTransaction,
  userId: number,
  fragment: string,
): Promise<WireNavigationView | null> {
  // A view that was added after this check is not locked, and could be removed before it is changed.
  if (!(await lockNavigationView(tx, userId, fragment))) return null;
  const row = await tx.prisma.navigationView.findFirst({ where: { userId, fragment }, select: navigationViewColumns });
  return row && toWireNavigationView(row);
}

/** Updates the name and the pinned state of a user's navigation view. */
export async function updateNavigationView(
  { prisma }: ChatTransaction,
  userId: number,
  fragment: string,
  { name, is_pinned: isPinned }: NavigationViewChange,
): Promise<void> {
  const data = { ...(name !== undefined && { name }), ...(isPinned !== undefined && { isPinned }) };
  await prisma.navigationView.updateMany({ where: { userId, fragment }, data });
}

/** Removes a navigation view of the user. Returns false if the view does not exist. */
export async function removeNavigationView(
  { prisma }: ChatTransaction,
  userId: number,
  fragment: string,
): Promise<boolean> {
  const { count } = await prisma.navigationView.deleteMany({ where: { userId, fragment } });
  return count > 0;
}
