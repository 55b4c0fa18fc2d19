/* The trees that joints make of bodies. A robot's bodies hang on the one with the most joints, or on what cannot be moved; joints that
   would close a loop are left out, and become rows. */
#include <string.h>

#include "kernel.h"

static bool moves(const body *b) { return b && !b->kinematic; }

static bool can_hold(const joint *j) { return holds_together(j) && (moves(j->first) || moves(j->second)); }

static void hang(kernel *k, body *b, body *parent, const body *base, joint *j)
{
    b->tree.parent = parent, b->tree.base = base, b->tree.joint = j;
    b->tree.depth = parent ? parent->tree.depth + 1 : 0;
    b->tree.hung = true;
    if (j) j->in_tree = true;
    k->order[k->ordered++] = b;
}

/* Everything that can be reached from the bodies from `start` on, nearest first. */
static void grow(kernel *k, int start, const int *first_joint, joint *const *joints)
{
    for (int next = start; next < k->ordered; next++) {
        body *b = k->order[next];
        for (int i = first_joint[b->row]; i < first_joint[b->row + 1]; i++) {
            joint *j = joints[i];
            body *other = j->first == b ? j->second : j->first;
            if (moves(other) && !other->tree.hung) hang(k, other, b, NULL, j);
        }
    }
}

static body *busiest(kernel *k, int start, const int *first_joint)
{
    body *found = k->order[start];
    for (int i = start; i < k->ordered; i++) {
        body *b = k->order[i];
        if (first_joint[b->row + 1] - first_joint[b->row] > first_joint[found->row + 1] - first_joint[found->row]) found = b;
    }
    return found;
}

/* Takes back what was hung from `start` on. */
static void cut(kernel *k, int start)
{
    for (int i = start; i < k->ordered; i++) {
        body *b = k->order[i];
        if (b->tree.joint) b->tree.joint->in_tree = false;
        b->tree.hung = false;
    }
    k->ordered = start;
}

/* Which tree's rows a joint's are; -1: nothing that it holds can be moved. */
static int tree_of(const joint *j) { return moves(j->first) ? j->first->tree.number : moves(j->second) ? j->second->tree.number : -1; }

static void sort_joints(kernel *k)
{
    k->joint_order = grown(k->joint_order, &k->joint_order_capacity, k->joints.count, sizeof *k->joint_order);
    k->links = grown(k->links, &k->link_capacity, k->joints.count, sizeof *k->links);
    k->link_count = 0;
    for (int i = 0; i < k->joints.count; i++) {
        joint *j = k->joints.items[i];
        if (tree_of(j) >= 0) k->trees[tree_of(j)].joints++;
        if (moves(j->first) && moves(j->second) && j->first->tree.number != j->second->tree.number) k->links[k->link_count++] = j;
    }
    for (int i = 0, next = 0; i < k->tree_count; i++) {
        k->trees[i].first_joint = next;
        next += k->trees[i].joints;
        k->trees[i].joints = 0;
    }
    for (int i = 0; i < k->joints.count; i++) {
        if (tree_of(k->joints.items[i]) < 0) continue;
        tree *t = &k->trees[tree_of(k->joints.items[i])];
        k->joint_order[t->first_joint + t->joints++] = k->joints.items[i];
    }
}

void plant_trees(kernel *k)
{
    if (!k->trees_stale) return;
    k->trees_stale = false;
    const int bodies = k->bodies.count;
    int *first_joint = borrow(&k->memory, (size_t)(bodies + 2) * sizeof *first_joint);
    joint **joints = borrow(&k->memory, (size_t)(2 * k->joints.count + 1) * sizeof *joints);
    memset(first_joint, 0, (size_t)(bodies + 2) * sizeof *first_joint);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < k->joints.count; i++) {
            joint *j = k->joints.items[i];
            j->in_tree = false;
            if (!can_hold(j)) continue;
            for (int side = 0; side < 2; side++) {
                const body *b = side ? j->second : j->first;
                if (!moves(b)) continue;
                if (pass)
                    joints[first_joint[b->row + 1]++] = j;
                else
                    first_joint[b->row + 2]++;
            }
        }
        if (!pass)
            for (int i = 2; i <= bodies + 1; i++) first_joint[i] += first_joint[i - 1];
    }
    k->ordered = k->tree_count = 0;
    for (int i = 0; i < bodies; i++) ((body *)k->bodies.items[i])->tree.hung = false;
    /* What hangs on something that cannot be moved. */
    for (int i = 0; i < k->joints.count; i++) {
        joint *j = k->joints.items[i];
        if (!can_hold(j) || (moves(j->first) && moves(j->second))) continue;
        body *b = moves(j->first) ? j->first : j->second;
        if (b->tree.hung) continue;
        const int start = k->ordered;
        hang(k, b, NULL, b == j->first ? j->second : j->first, j);
        grow(k, start, first_joint, joints);
    }
    for (int i = 0; i < bodies; i++) {
        body *b = k->bodies.items[i];
        if (b->tree.hung || b->kinematic) continue;
        const int start = k->ordered;
        hang(k, b, NULL, NULL, NULL);
        grow(k, start, first_joint, joints);
        body *root = busiest(k, start, first_joint);
        cut(k, start);
        hang(k, root, NULL, NULL, NULL);
        grow(k, start, first_joint, joints);
    }
    for (int i = 0; i < k->ordered; i++) {
        limb *t = &k->order[i]->tree;
        t->lonely = !t->joint;
        if (t->parent) t->parent->tree.lonely = false;
        if (!t->parent) k->trees[k->tree_count++] = (tree){.first_body = i};
        t->number = k->tree_count - 1;
        k->trees[t->number].bodies++;
    }
    sort_joints(k);
}
