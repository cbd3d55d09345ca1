// SPDX-License-Identifier: BSD-3-Clause
// An intrusive doubly linked list: no allocation, removal in constant time.
//
// Concepts: a type that can stand in a list holds one Link<T> member per list it may be in at a time. A link
// knows whether it is in a list; an object must leave its lists before it is freed.
#pragma once

namespace myri {

template <class T> struct Link {
    T* prev = nullptr;
    T* next = nullptr;
    bool linked = false;
};

template <class T, Link<T> T::*member> class List {
public:
    T* front() const { return head; }
    T* back() const { return tail; }
    bool empty() const { return head == nullptr; }
    static T* after(const T* t) { return (t->*member).next; }

    void push_back(T* t) {
        Link<T>& l = t->*member;
        l.prev = tail;
        l.next = nullptr;
        l.linked = true;
        if (tail)
            (tail->*member).next = t;
        else
            head = t;
        tail = t;
    }

    void push_front(T* t) {
        Link<T>& l = t->*member;
        l.prev = nullptr;
        l.next = head;
        l.linked = true;
        if (head)
            (head->*member).prev = t;
        else
            tail = t;
        head = t;
    }

    // Behind `place`; nullptr: in front.
    void insert_after(T* place, T* t) {
        if (!place)
            return push_front(t);
        if (place == tail)
            return push_back(t);
        Link<T>& l = t->*member;
        l.prev = place;
        l.next = (place->*member).next;
        l.linked = true;
        (l.next->*member).prev = t;
        (place->*member).next = t;
    }

    void remove(T* t) {
        Link<T>& l = t->*member;
        if (l.prev)
            (l.prev->*member).next = l.next;
        else
            head = l.next;
        if (l.next)
            (l.next->*member).prev = l.prev;
        else
            tail = l.prev;
        l = Link<T>{};
    }

    T* pop_front() {
        T* t = head;
        if (t)
            remove(t);
        return t;
    }

private:
    T* head = nullptr;
    T* tail = nullptr;
};

} // namespace myri
